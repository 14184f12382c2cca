//! The `auth` block of a server, by type.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json_path::{JsonPath, ParseError};

use super::error::{nearest, quote};
use super::reader::{Fields, Reader};
use super::{Auth, ClientAuthentication, Template, headers, secrets, urls};
use crate::headers::is_token;
use crate::yaml::{Node, NodeValue, Position};

/// The fields of a type besides `type` and `allow_literal`.
const TYPES: &[(&str, &[&str])] = &[
    ("static", &["value"]),
    ("jwt", &["token"]),
    ("api_key", &["value", "key", "in", "name"]),
    ("basic", &["username", "password"]),
    (
        "oauth2",
        &[
            "token_url",
            "client_id",
            "client_secret",
            "scope",
            "audience",
            "token_endpoint_auth_method",
            "extra",
        ],
    ),
    (
        "keycloak",
        &[
            "base_url",
            "realm",
            "client_id",
            "client_secret",
            "scope",
            "audience",
            "token_endpoint_auth_method",
            "extra",
        ],
    ),
    (
        "session",
        &[
            "login_url",
            "username",
            "password",
            "username_field",
            "password_field",
            "content_type",
            "cookie_name",
            "token_field",
            "expires_seconds",
        ],
    ),
];

/// How long a session may be kept, in seconds.
const LONGEST_SESSION: f64 = 30.0 * 24.0 * 3600.0;

/// Reads the block.
pub(super) fn read(reader: &mut Reader, node: &Node, allow_literal: bool) -> Option<Auth> {
    let NodeValue::Mapping(entries) = &node.value else {
        reader.wrong_type(node, "`auth`", "a mapping with a `type`");
        return None;
    };
    let Some((_, type_node)) = entries.iter().find(|(key, _)| key.text == "type") else {
        reader.advise(node.position, "`auth` has no `type`", types_hint());
        return None;
    };
    let name = reader.string(type_node, "`auth.type`")?;
    let Some((name, fields)) = TYPES.iter().find(|(known, _)| *known == name) else {
        let hint = nearest(&name, TYPES.iter().map(|(known, _)| *known))
            .map_or_else(types_hint, |near| format!("did you mean `{near}`?"));
        reader.advise(
            type_node.position,
            format!("{} is no type of `auth`", quote(&name)),
            hint,
        );
        return None;
    };
    let mut keys = vec!["type", "allow_literal"];
    keys.extend_from_slice(fields);
    let what = format!("`auth` of type `{name}`");
    let fields = reader.fields(node, &what, &keys)?;
    let allow_literal = fields
        .get("allow_literal")
        .and_then(|node| reader.boolean(node, "`auth.allow_literal`"))
        .unwrap_or(allow_literal);
    let mut block = Block {
        reader,
        fields,
        what,
        allow_literal,
    };
    match *name {
        "static" => block.secret("value").map(static_value),
        "jwt" => Some(Auth::Jwt {
            token: block.secret("token")?,
        }),
        "api_key" => block.api_key(),
        "basic" => {
            let (username, password) = (block.text("username"), block.secret("password"));
            Some(Auth::Basic {
                username: username?,
                password: password?,
            })
        }
        "oauth2" => {
            let token_url = block.endpoint("token_url");
            block.client_credentials(token_url)
        }
        "keycloak" => {
            let token_url = block.keycloak_token_url();
            block.client_credentials(token_url)
        }
        _ => block.session(),
    }
}

/// Reads the legacy `auth_header`: the whole value of `Authorization`.
pub(super) fn read_legacy(reader: &mut Reader, node: &Node, allow_literal: bool) -> Option<Auth> {
    let template = reader.optional_template(node, "`auth_header`")?;
    if !allow_literal {
        secrets::refuse_literal(reader, node.position, "`auth_header`", &template);
    }
    Some(static_value(template))
}

/// The JSON path (RFC 9535) of the token in the answer of a log-in; its `$` may be left out.
///
/// # Errors
/// Why the text is none.
pub fn token_path(text: &str) -> Result<JsonPath, ParseError> {
    if text.starts_with('$') {
        return JsonPath::parse(text);
    }
    let dot = if text.starts_with('[') { "" } else { "." };
    let whole = format!("${dot}{text}");
    // A name with characters that no path has bare, such as `access-token`.
    JsonPath::parse(&whole).or_else(|error| {
        let is_name = !text.contains(['.', '[', ']', '\'', '\\']);
        if is_name {
            JsonPath::parse(&format!("$['{text}']"))
        } else {
            Err(error)
        }
    })
}

/// The seeds document `Authorization: Bearer …` as a value as well.
fn static_value(mut value: Template) -> Auth {
    const NAME: &str = "authorization:";
    if value
        .text
        .get(..NAME.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(NAME))
    {
        let rest = value.text.split_off(NAME.len());
        rest.trim_start().clone_into(&mut value.text);
    }
    Auth::Static { value }
}

fn types_hint() -> String {
    let names: Vec<_> = TYPES.iter().map(|(name, _)| *name).collect();
    format!("types are {}", names.join(", "))
}

/// One `auth` block being read.
struct Block<'r, 'n> {
    reader: &'r mut Reader,
    fields: Fields<'n>,
    what: String,
    allow_literal: bool,
}

impl Block<'_, '_> {
    fn api_key(&mut self) -> Option<Auth> {
        let key = match (self.fields.get("value"), self.fields.get("key")) {
            (Some(_), Some(_)) => {
                self.reader.complain(
                    self.fields.position_of("key"),
                    "`auth` has both `value` and `key`, which mean the same",
                );
                return None;
            }
            (None, Some(_)) => "key",
            _ => "value",
        };
        let value = self.secret(key);
        let location = self.plain("in");
        if let Some((location, position)) = &location
            && !matches!(location.as_str(), "header" | "query" | "cookie")
        {
            self.reader.complain(
                *position,
                format!(
                    "`auth.in` must be `header`, `query` or `cookie`, found {}",
                    quote(location)
                ),
            );
        }
        let name = self.plain("name");
        if let Some((name, position)) = &name {
            let in_query = location
                .as_ref()
                .is_some_and(|(location, _)| location == "query");
            if !in_query {
                headers::check_name(self.reader, *position, "`auth.name`", name);
            } else if name.chars().any(char::is_control) {
                self.reader
                    .complain(*position, "`auth.name` holds a control character");
            }
        }
        Some(Auth::ApiKey {
            value: value?,
            location: location.map(|(location, _)| location),
            name: name.map(|(name, _)| name),
        })
    }

    fn client_credentials(&mut self, token_url: Option<Template>) -> Option<Auth> {
        let client_id = self.text("client_id");
        let client_secret = self.secret("client_secret");
        let scope = self.optional("scope");
        let audience = self.optional("audience");
        let authentication = self.client_authentication();
        let mut extra = IndexMap::new();
        if let Some(node) = self.fields.get("extra") {
            for (key, value) in self.reader.entries(node, "`auth.extra`") {
                let what = format!("{} of `auth.extra`", quote(&key.text));
                if matches!(
                    key.text.as_str(),
                    "grant_type" | "client_id" | "client_secret" | "scope" | "audience"
                ) {
                    self.reader.complain(
                        key.position,
                        format!("{what} is set by mce or by a key of its own"),
                    );
                }
                let Some(template) = self.reader.template(value, &what) else {
                    continue;
                };
                if !self.allow_literal && secrets::is_secret_name(&key.text) {
                    secrets::refuse_literal(self.reader, value.position, &what, &template);
                }
                extra.insert(key.text.clone(), template);
            }
        }
        Some(Auth::OAuth2 {
            token_url: token_url?,
            client_id: client_id?,
            client_secret: client_secret?,
            scope,
            audience,
            authentication,
            extra,
        })
    }

    /// The values are those of RFC 7591, section 2.
    fn client_authentication(&mut self) -> Option<ClientAuthentication> {
        let (text, position) = self.plain("token_endpoint_auth_method")?;
        match text.as_str() {
            "client_secret_basic" | "basic" => Some(ClientAuthentication::Basic),
            "client_secret_post" | "post" | "body" => Some(ClientAuthentication::Body),
            _ => {
                self.reader.complain(
                    position,
                    format!(
                        "`auth.token_endpoint_auth_method` must be `client_secret_basic` or \
                         `client_secret_post`, found {}",
                        quote(&text)
                    ),
                );
                None
            }
        }
    }

    /// Keycloak's token endpoint is derived from its base URL and realm.
    fn keycloak_token_url(&mut self) -> Option<Template> {
        let base = self.text("base_url");
        if let Some(base) = &base
            && let Err(why) = urls::check_base_template(base)
        {
            let position = self.position("base_url");
            self.reader
                .complain(position, format!("`auth.base_url` {why}"));
            return None;
        }
        let realm = self.text("realm");
        if let Some(realm) = &realm
            && !realm
                .masked()
                .chars()
                .all(|character| !character.is_ascii() || is_unreserved(character))
        {
            let position = self.position("realm");
            self.reader.complain(
                position,
                "`auth.realm` holds a character that is none of letters, digits, `-`, `.`, `_`, \
                 `~`",
            );
            return None;
        }
        let (base, realm) = (base?, realm?);
        Some(Template {
            text: format!(
                "{}/realms/{}/protocol/openid-connect/token",
                base.text.trim_end_matches('/'),
                realm.text
            ),
            place: base.place,
        })
    }

    fn session(&mut self) -> Option<Auth> {
        let login_url = self.endpoint("login_url");
        let username = self.text("username");
        let password = self.secret("password");
        let username_field = self.plain("username_field");
        let password_field = self.plain("password_field");
        let form = match self.plain("content_type") {
            None => false,
            Some((text, position)) => match text.as_str() {
                "json" | "application/json" => false,
                "form" | "application/x-www-form-urlencoded" => true,
                _ => {
                    self.reader.complain(
                        position,
                        format!(
                            "`auth.content_type` must be `json` or `form`, found {}",
                            quote(&text)
                        ),
                    );
                    false
                }
            },
        };
        let cookie_name = self.plain("cookie_name");
        if let Some((name, position)) = &cookie_name
            && !is_token(name)
        {
            self.reader.complain(
                *position,
                "`auth.cookie_name` is a name that no cookie can have",
            );
        }
        let token_field = self.plain("token_field");
        if let Some((path, position)) = &token_field
            && token_path(path).is_err()
        {
            self.reader.advise(
                *position,
                format!("`auth.token_field` is no JSON path: {}", quote(path)),
                "write the path of the token in the answer, such as `access_token` or `data.tokens[0]`",
            );
        }
        let expires = match self.fields.get("expires_seconds") {
            None => Some(Duration::from_hours(1)),
            Some(node) => self
                .reader
                .seconds(node, "`auth.expires_seconds`", LONGEST_SESSION),
        };
        Some(Auth::Session {
            login_url: login_url?,
            username: username?,
            password: password?,
            username_field: username_field.map_or_else(|| "username".to_owned(), |(it, _)| it),
            password_field: password_field.map_or_else(|| "password".to_owned(), |(it, _)| it),
            form,
            cookie_name: cookie_name.map(|(name, _)| name),
            token_field: token_field.map(|(field, _)| field),
            expires: expires?,
        })
    }

    /// A field that has to be there.
    fn text(&mut self, key: &str) -> Option<Template> {
        let node = self.fields.require(self.reader, key, &self.what)?;
        self.reader.template(node, &format!("`auth.{key}`"))
    }

    /// A field that has to be there and comes from a variable.
    fn secret(&mut self, key: &str) -> Option<Template> {
        let template = self.text(key)?;
        if !self.allow_literal {
            let position = self.position(key);
            secrets::refuse_literal(self.reader, position, &format!("`auth.{key}`"), &template);
        }
        Some(template)
    }

    /// A URL that has to be there.
    fn endpoint(&mut self, key: &str) -> Option<Template> {
        let template = self.text(key)?;
        let position = self.position(key);
        if let Err(why) = urls::check_endpoint_template(&template) {
            self.reader
                .complain(position, format!("`auth.{key}` {why}"));
        } else if urls::is_in_the_clear(&template) {
            self.reader.warn(
                position,
                &format!(
                    "`auth.{key}` is not encrypted, and no secret is sent there: it has to begin with \
                     `https://`, unless it is on this machine"
                ),
            );
        }
        if !self.allow_literal {
            secrets::refuse_literal_in_url(
                self.reader,
                position,
                &format!("`auth.{key}`"),
                &template,
            );
        }
        Some(template)
    }

    /// A field that may be left out or empty.
    fn optional(&mut self, key: &str) -> Option<Template> {
        let node = self.fields.get(key)?;
        self.reader
            .optional_template(node, &format!("`auth.{key}`"))
    }

    /// A field without variables that may be left out or empty.
    fn plain(&mut self, key: &str) -> Option<(String, Position)> {
        let node = self.fields.get(key)?;
        if matches!(&node.value, NodeValue::String(text) if text.is_empty()) {
            return None;
        }
        let text = self.reader.string(node, &format!("`auth.{key}`"))?;
        Some((text, node.position))
    }

    fn position(&self, key: &str) -> Position {
        self.fields
            .get(key)
            .map_or(self.fields.node.position, |node| node.position)
    }
}

fn is_unreserved(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~".contains(character)
}
