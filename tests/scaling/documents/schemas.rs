//! Schemas that refer to one another: alternatives, inheritance, rings, chains.

use serde_json::{Map, Value, json};

use super::{
    Files, alone, collides, content, document, list, map, properties, reference, to_schema,
    with_bodies, with_body,
};

fn objects(count: usize) -> Value {
    map(count, |it| {
        let schema = json!({"type": "object", "required": ["kind"],
            "properties": {"kind": {"type": "string"}, format!("own{it}"): {"type": "integer"}}});
        (format!("S{it}"), schema)
    })
}

/// A schema `Any` that is one of `size` others, and bodies and answers that are such.
fn with_variants(size: usize, discriminator: Option<Value>) -> Files {
    let mut schemas = objects(size);
    schemas["Any"] = json!({"oneOf": list(size, to_schema)});
    if let Some(discriminator) = discriminator {
        schemas["Any"]["discriminator"] = discriminator;
    }
    with_bodies(size, &schemas, |_| reference("schemas", "Any"))
}

pub(super) fn variants(size: usize) -> Files {
    with_variants(size, None)
}

pub(super) fn variants_with_mapping(size: usize) -> Files {
    let mapping = map(size, |it| {
        (
            format!("kind{it}"),
            json!(format!("#/components/schemas/S{it}")),
        )
    });
    with_variants(
        size,
        Some(json!({"propertyName": "kind", "mapping": mapping})),
    )
}

/// Each schema has the large one as the type of a key.
pub(super) fn variants_within_variants(size: usize) -> Files {
    let mut schemas = objects(size);
    schemas["Any"] = json!({"oneOf": list(size, to_schema)});
    for schema in schemas
        .as_object_mut()
        .into_iter()
        .flat_map(Map::values_mut)
    {
        if schema.get("properties").is_some() {
            schema["properties"]["inner"] = reference("schemas", "Any");
        }
    }
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn inline_variants(size: usize) -> Files {
    let parts = list(
        size / 2,
        |it| json!({"properties": {format!("own{it}"): {"type": "string"}}}),
    );
    let schema =
        json!({"type": "object", "properties": properties(4), "oneOf": parts, "anyOf": parts});
    let components = json!({"requestBodies": {"Shared": {"content": content(&schema)}}});
    alone(&document(
        "post",
        size,
        &components,
        |_| json!({"requestBody": reference("requestBodies", "Shared")}),
    ))
}

pub(super) fn inherited_chain(size: usize) -> Files {
    let schemas = map(size, |it| {
        let own = json!({"properties": {format!("own{it}"): {"type": "string"}}});
        let parts = if it == 0 {
            json!([own])
        } else {
            json!([to_schema(it - 1), own])
        };
        (format!("S{it}"), json!({"allOf": parts}))
    });
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn inherited_diamonds(size: usize) -> Files {
    let mut schemas = Map::new();
    schemas.insert("S0".to_owned(), json!({"properties": properties(2)}));
    for number in 1..size {
        let below = to_schema(number - 1);
        let heir = |name: &str| {
            let own = format!("{name}{number}");
            let keys = json!({"properties": {own.clone(): {"type": "string"}}});
            (own, json!({"allOf": [below, keys]}))
        };
        schemas.extend([heir("Left"), heir("Right")]);
        let sides = [format!("Left{number}"), format!("Right{number}")];
        schemas.insert(
            format!("S{number}"),
            json!({"allOf": sides.map(|it| reference("schemas", it))}),
        );
    }
    with_bodies(size, &Value::Object(schemas), to_schema)
}

pub(super) fn inherited_by_all(size: usize) -> Files {
    let mut schemas = map(size, |it| {
        let own = json!({"properties": {format!("own{it}"): {"type": "string"}}});
        (
            format!("S{it}"),
            json!({"allOf": [reference("schemas", "Base"), own]}),
        )
    });
    schemas["Base"] = json!({"properties": properties(size)});
    with_bodies(size, &schemas, to_schema)
}

/// All inherit from a base, which tells them apart and has keys of its own type.
pub(super) fn inherited_by_those_told_apart(size: usize) -> Files {
    let base = reference("schemas", "Base");
    let mut schemas = map(size, |it| {
        let own = json!({"properties": {format!("own{it}"): {"type": "string"}}});
        (format!("S{it}"), json!({"allOf": [base, own]}))
    });
    schemas["Base"] = json!({
        "type": "object",
        "discriminator": {"propertyName": "key0"},
        "properties": map(size, |it| (format!("key{it}"), base.clone())),
    });
    with_bodies(size, &schemas, |_| base.clone())
}

/// As many bases that are told apart by what they have in common.
pub(super) fn bases_of_all(size: usize) -> Files {
    let bases = list(size, |it| reference("schemas", format!("Base{it}")));
    let mut schemas = map(size * 4, |it| {
        let own = json!({"properties": {format!("own{it}"): {"type": "string"}}});
        (
            format!("S{it}"),
            json!({"allOf": [reference("schemas", "Hub"), own]}),
        )
    });
    schemas["Hub"] = json!({"allOf": bases});
    for number in 0..size {
        schemas[format!("Base{number}")] = json!({
            "type": "object",
            "discriminator": {"propertyName": "kind"},
            "properties": {"kind": {"type": "string"}},
        });
    }
    with_bodies(size, &schemas, |it| {
        reference("schemas", format!("Base{it}"))
    })
}

pub(super) fn inherits_all(size: usize) -> Files {
    let mut schemas = objects(size);
    schemas["All"] = json!({"allOf": list(size, to_schema)});
    with_bodies(size, &schemas, |_| reference("schemas", "All"))
}

pub(super) fn ring_of_properties(size: usize) -> Files {
    let schemas = map(size, |it| {
        (
            format!("S{it}"),
            json!({"properties": {"next": to_schema((it + 1) % size)}}),
        )
    });
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn ring_of_items(size: usize) -> Files {
    let schemas = map(size, |it| {
        (
            format!("S{it}"),
            json!({"type": "array", "items": to_schema((it + 1) % size)}),
        )
    });
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn ring_of_variants(size: usize) -> Files {
    let schemas = map(size, |it| {
        let next = to_schema((it + 1) % size);
        let back = to_schema((it + size - 1) % size);
        (
            format!("S{it}"),
            json!({"anyOf": [next, {"type": "array", "items": back}, {"type": "string"}]}),
        )
    });
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn everything_refers_to_everything(size: usize) -> Files {
    let schemas = map(size, |it| {
        let all = list(size, to_schema);
        (
            format!("S{it}"),
            json!({"anyOf": all, "items": {"oneOf": all}}),
        )
    });
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn nested_items(size: usize) -> Files {
    let nested = (0..size.min(120)).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "array", "items": inner}),
    );
    with_body(size, &nested)
}

pub(super) fn chain_of_items(size: usize) -> Files {
    let schemas = map(size, |it| {
        let next = if it + 1 < size {
            to_schema(it + 1)
        } else {
            json!({"type": "string"})
        };
        (format!("S{it}"), json!({"type": "array", "items": next}))
    });
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn chain_of_references(size: usize) -> Files {
    let schemas = map(size, |it| {
        let next = if it + 1 < size {
            to_schema(it + 1)
        } else {
            json!({"type": "string"})
        };
        (format!("S{it}"), next)
    });
    with_bodies(size, &schemas, to_schema)
}

pub(super) fn prefix_items(size: usize) -> Files {
    with_body(
        size,
        &json!({"prefixItems": list(size * 4, |it| match it % 3 {
            0 => json!({"type": "string"}),
            1 => json!({"type": "array", "items": {"type": "integer"}}),
            _ => json!({"type": "boolean"}),
        })}),
    )
}

pub(super) fn pattern_properties(size: usize) -> Files {
    let patterns = map(size * 4, |it| {
        (format!("^{it}"), json!({"type": "string", "minLength": it}))
    });
    with_body(
        size,
        &json!({"type": "object", "patternProperties": patterns}),
    )
}

pub(super) fn colliding_schemas(size: usize) -> Files {
    let schemas = map(size, |it| {
        (
            collides(it),
            json!({"properties": {"a": {"type": "integer"}}}),
        )
    });
    with_bodies(size, &schemas, |it| {
        reference("schemas", collides(it).replace('~', "~0"))
    })
}

pub(super) fn colliding_keys(size: usize) -> Files {
    let keys = map(size, |it| {
        (
            collides(it),
            json!({"properties": {"a": {"type": "integer"}}}),
        )
    });
    with_body(size, &json!({"type": "object", "properties": keys}))
}

pub(super) fn anchors(size: usize) -> Files {
    let schemas = map(size, |it| {
        (
            format!("S{it}"),
            json!({"$anchor": format!("a{it}"), "properties": {"next": {"$ref": format!("#a{}", (it + 1) % size)}}}),
        )
    });
    with_bodies(size, &schemas, |it| json!({"$ref": format!("#a{it}")}))
}

pub(super) fn resources(size: usize) -> Files {
    let schemas = map(size, |it| {
        (
            format!("S{it}"),
            json!({"$id": format!("https://r.example/{it}"),
            "properties": {"next": {"$ref": ((it + 1) % size).to_string()}}}),
        )
    });
    with_bodies(size, &schemas, to_schema)
}
