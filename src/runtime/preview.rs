//! What stands in for a result that is too large to inline: its shape, counts and first rows.

use serde_json::{Map, Value, json};

/// Levels of nesting that a shape describes.
const SHAPE_DEPTH: usize = 4;
/// Members that a shape lists.
const SHAPE_MEMBERS: usize = 40;
/// Levels of nesting of the first rows.
const ROW_DEPTH: usize = 6;

/// How much of a value is shown: tried from the most to the least until it fits.
struct Detail {
    items: usize,
    members: usize,
    characters: usize,
}

const DETAILS: [Detail; 4] = [
    Detail {
        items: 10,
        members: 60,
        characters: 400,
    },
    Detail {
        items: 5,
        members: 40,
        characters: 120,
    },
    Detail {
        items: 3,
        members: 20,
        characters: 60,
    },
    Detail {
        items: 1,
        members: 10,
        characters: 30,
    },
];

/// A bounded description of a value: `{"shape", "size_bytes", "first"}`, within about `budget`
/// bytes. `first` is left out where not even one short row fits.
pub(super) fn preview(value: &Value, size: usize, budget: usize) -> Value {
    let shape = shape(value, 0);
    let shape_size = shape.to_string().len();
    let shape = if shape_size.saturating_mul(2) > budget {
        Value::String(kind(value).to_owned())
    } else {
        shape
    };
    let rest = budget.saturating_sub(shape.to_string().len());
    let mut preview = Map::new();
    preview.insert("shape".to_owned(), shape);
    preview.insert("size_bytes".to_owned(), json!(size));
    let first = DETAILS
        .iter()
        .map(|detail| first(value, detail, 0))
        .find(|first| first.to_string().len() <= rest);
    if let Some(first) = first {
        preview.insert("first".to_owned(), first);
    }
    Value::Object(preview)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "None",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() && !number.is_i64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

fn shape(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(items) => {
            let mut described = Map::new();
            described.insert("list".to_owned(), json!(items.len()));
            if let Some(item) = items.first().filter(|_| depth < SHAPE_DEPTH) {
                described.insert("of".to_owned(), shape(item, depth + 1));
            }
            Value::Object(described)
        }
        Value::Object(members) if depth < SHAPE_DEPTH => {
            let mut listed: Map<String, Value> = members
                .iter()
                .take(SHAPE_MEMBERS)
                .map(|(key, member)| (cut(key, 60), shape(member, depth + 1)))
                .collect();
            if members.len() > SHAPE_MEMBERS {
                let more = format!("{} more", members.len() - SHAPE_MEMBERS);
                listed.insert("…".to_owned(), Value::String(more));
            }
            json!({ "dict": listed })
        }
        Value::Object(members) => json!({ "dict": members.len() }),
        Value::String(text) if text.len() > 200 => {
            Value::String(format!("str of {} characters", text.chars().count()))
        }
        scalar => Value::String(kind(scalar).to_owned()),
    }
}

fn first(value: &Value, detail: &Detail, depth: usize) -> Value {
    match value {
        Value::Array(items) if depth < ROW_DEPTH => items
            .iter()
            .take(detail.items)
            .map(|item| first(item, detail, depth + 1))
            .collect(),
        Value::Object(members) if depth < ROW_DEPTH => members
            .iter()
            .take(detail.members)
            .map(|(key, member)| {
                let key = cut(key, detail.characters);
                (key, first(member, detail, depth + 1))
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(_) | Value::Object(_) => Value::String("…".to_owned()),
        Value::String(text) => Value::String(cut(text, detail.characters)),
        // With arbitrary precision a number can be as long as a text.
        Value::Number(number) if number.to_string().len() > detail.characters => {
            Value::String(cut(&number.to_string(), detail.characters))
        }
        scalar => scalar.clone(),
    }
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Beginning and end of a long text, with a line that says how much is missing between them.
/// Gives the text as it is where it fits into `budget` bytes.
pub(super) fn ends(text: &str, budget: usize) -> Option<String> {
    if text.len() <= budget {
        return None;
    }
    let head_end = text.floor_char_boundary(budget / 2);
    let tail_start = text.ceil_char_boundary(text.len().saturating_sub(budget / 2));
    let head = text.get(..head_end).unwrap_or_default();
    let tail = text.get(tail_start..).unwrap_or_default();
    let missing = tail_start.saturating_sub(head_end);
    Some(format!("{head}\n… {missing} bytes left out …\n{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_described_and_begun() {
        let rows: Vec<Value> = (0..5_000)
            .map(|id| json!({"id": id, "name": "x".repeat(50), "tags": ["a", "b"]}))
            .collect();
        let value = Value::Array(rows);
        let size = value.to_string().len();
        let preview = preview(&value, size, 4_000);
        assert_eq!(preview["size_bytes"], json!(size));
        assert_eq!(preview["shape"]["list"], json!(5_000));
        assert_eq!(preview["shape"]["of"]["dict"]["id"], json!("int"));
        assert_eq!(
            preview["shape"]["of"]["dict"]["tags"],
            json!({"list": 2, "of": "str"})
        );
        assert_eq!(preview["first"].as_array().unwrap().len(), 10);
        assert_eq!(preview["first"][3]["id"], json!(3));
        assert!(preview.to_string().len() <= 4_100);
    }

    #[test]
    fn one_long_text_is_cut_and_its_length_told() {
        let value = Value::String("é".repeat(100_000));
        let preview = preview(&value, 200_002, 2_000);
        assert_eq!(preview["shape"], json!("str of 100000 characters"));
        assert_eq!(
            preview["first"],
            Value::String(format!("{}…", "é".repeat(400)))
        );
    }

    #[test]
    fn no_value_makes_a_preview_beyond_its_budget() {
        let wide: Map<String, Value> = (0..10_000)
            .map(|n| (format!("{n}{}", "k".repeat(300)), json!({"a": [[[[[n]]]]]})))
            .collect();
        let deep = (0..100).fold(json!("z".repeat(5_000)), |inner, _| json!([inner, "z"]));
        let digits: Value = serde_json::from_str(&"9".repeat(50_000)).unwrap();
        for value in [Value::Object(wide), deep, digits] {
            let size = value.to_string().len();
            let preview = preview(&value, size, 2_000);
            assert!(preview.to_string().len() <= 2_100, "{preview}");
        }
    }

    #[test]
    fn long_prints_keep_their_ends() {
        assert_eq!(ends("short", 10), None);
        let text = format!("{}{}", "a".repeat(100), "é".repeat(100));
        let shown = ends(&text, 21).unwrap();
        assert_eq!(shown, "aaaaaaaaaa\n… 280 bytes left out …\nééééé");
    }
}
