//! Text in other charsets than UTF-8, both ways. The outside backend knows the same ones.

use encoding_rs::Encoding;

use super::style::Problem;

/// A charset that a media type names.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Charset {
    Utf8,
    Ascii,
    /// The real one; what browsers call Latin-1 is `windows-1252`.
    Latin1,
    /// The order of bytes, where the name says it.
    Utf16(Option<Order>),
    Table(&'static Encoding),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Little,
    Big,
}

/// The charset that a media type names, in lower case; none where it names none.
fn label(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.to_ascii_lowercase())
    })
}

impl Charset {
    /// The charset of a name; none where it is not known.
    fn of(label: &str) -> Option<Self> {
        let charset = match label {
            "utf-8" | "utf8" => Self::Utf8,
            "us-ascii" | "ascii" => Self::Ascii,
            "iso-8859-1" | "iso8859-1" | "latin-1" | "latin1" => Self::Latin1,
            "utf-16" => Self::Utf16(None),
            "utf-16le" => Self::Utf16(Some(Order::Little)),
            "utf-16be" => Self::Utf16(Some(Order::Big)),
            "gb2312" | "gbk" | "gb18030" => Self::Table(encoding_rs::GB18030),
            "shift_jis" | "euc-jp" | "euc-kr" | "koi8-r" => table(label)?,
            _ => {
                let iso = label
                    .strip_prefix("iso-8859-")
                    .or_else(|| label.strip_prefix("iso8859-"));
                let windows = label
                    .strip_prefix("windows-")
                    .or_else(|| label.strip_prefix("cp"));
                match (iso, windows) {
                    (Some("12"), _) => return None,
                    (Some(part), _) => table(&format!("iso-8859-{part}"))?,
                    (_, Some(page)) if page.starts_with("125") => {
                        table(&format!("windows-{page}"))?
                    }
                    _ => return None,
                }
            }
        };
        Some(charset)
    }

    /// The text of bytes; none where they are not in this charset.
    fn decoded(self, body: &[u8]) -> Option<String> {
        match self {
            Self::Utf8 | Self::Ascii => Some(utf8(body)),
            Self::Latin1 => Some(body.iter().copied().map(char::from).collect()),
            Self::Utf16(order) => {
                let (order, body) = match (order, body) {
                    (None, [0xfe, 0xff, rest @ ..]) => (Order::Big, rest),
                    (None, [0xff, 0xfe, rest @ ..]) => (Order::Little, rest),
                    (order, body) => (order.unwrap_or(Order::Little), body),
                };
                let (pairs, rest) = body.as_chunks::<2>();
                let units = pairs.iter().map(|pair| match order {
                    Order::Little => u16::from_le_bytes(*pair),
                    Order::Big => u16::from_be_bytes(*pair),
                });
                let text: Result<String, _> = char::decode_utf16(units).collect();
                text.ok().filter(|_| rest.is_empty())
            }
            Self::Table(encoding) => encoding
                .decode_without_bom_handling_and_without_replacement(body)
                .map(std::borrow::Cow::into_owned)
                .filter(|text| !has_gaps(encoding, text)),
        }
    }

    /// The bytes of a text; none where it holds what the charset has not.
    fn encoded(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Utf8 => Some(text.as_bytes().to_vec()),
            Self::Ascii => text.is_ascii().then(|| text.as_bytes().to_vec()),
            Self::Latin1 => text.chars().map(|it| u8::try_from(it).ok()).collect(),
            Self::Utf16(order) => {
                let mark = order.is_none().then_some(0xfeff);
                let units = mark.into_iter().chain(text.encode_utf16());
                Some(match order {
                    Some(Order::Big) => units.flat_map(u16::to_be_bytes).collect(),
                    _ => units.flat_map(u16::to_le_bytes).collect(),
                })
            }
            Self::Table(encoding) => {
                let (bytes, _, has_errors) = encoding.encode(text);
                (!has_errors && !has_gaps(encoding, text)).then(|| bytes.into_owned())
            }
        }
    }
}

fn table(label: &str) -> Option<Charset> {
    Encoding::for_label(label.as_bytes()).map(Charset::Table)
}

/// Browsers read what Windows' charsets leave free as control characters; nobody means that.
fn has_gaps(encoding: &'static Encoding, text: &str) -> bool {
    encoding.name().starts_with("windows-") && text.contains(|it| matches!(it, '\u{80}'..='\u{9f}'))
}

fn utf8(body: &[u8]) -> String {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    String::from_utf8_lossy(body).into_owned()
}

/// The text of a body by its charset, UTF-8 where it names none; what is not UTF-8 becomes U+FFFD.
/// None where the bytes are not of the charset, or it is not known and they are not UTF-8.
pub(super) fn decode(content_type: &str, body: &[u8]) -> Option<String> {
    let Some(label) = label(content_type) else {
        return Some(utf8(body));
    };
    match Charset::of(&label) {
        Some(charset) => charset.decoded(body),
        None => std::str::from_utf8(body).is_ok().then(|| utf8(body)),
    }
}

/// Whether a media type asks for another charset than UTF-8.
pub(super) fn is_foreign(content_type: &str) -> bool {
    label(content_type).is_some_and(|label| Charset::of(&label) != Some(Charset::Utf8))
}

/// The bytes of a text in the charset of a media type.
pub(super) fn encode(content_type: &str, text: &str) -> Result<Vec<u8>, Problem> {
    let Some(label) = label(content_type) else {
        return Ok(text.as_bytes().to_vec());
    };
    let shown = serde_json::Value::from(label.as_str());
    let charset = Charset::of(&label)
        .ok_or_else(|| format!("cannot be sent in the charset {shown}, which is not known"))?;
    charset
        .encoded(text)
        .ok_or_else(|| format!("holds characters that the charset {shown} has not"))
}

/// A form is percent-encoded UTF-8, whatever its media type says.
pub(super) fn check_form(content_type: &str) -> Result<(), Problem> {
    if is_foreign(content_type) {
        let label = serde_json::Value::from(label(content_type));
        return Err(format!(
            "cannot be sent in the charset {label}: forms are UTF-8"
        ));
    }
    Ok(())
}
