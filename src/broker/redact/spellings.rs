//! The spellings of a secret that are looked for.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
/// A spelling below this many bytes is found in innocent text by chance.
const SHORTEST: usize = 8;

/// Every spelling of a secret that is looked for. Those with percent-escapes, or the escapes of JSON
/// strings, are found in the [readings](super::readings) of a text.
pub(super) fn spellings(secret: &str, patterns: &mut BTreeSet<Vec<u8>>) {
    let mut add = |text: String| {
        if text.len() >= SHORTEST {
            patterns.insert(text.into_bytes());
        }
    };
    // A form spells a blank as a plus sign.
    add(secret.replace(' ', "+"));
    add(secret.to_owned());

    let mut hex = String::with_capacity(2 * secret.len());
    for byte in secret.bytes() {
        let _ = write!(hex, "{byte:02x}");
    }
    add(hex.to_ascii_uppercase());
    add(hex);

    for skipped in 0..3_usize {
        let mut bytes = vec![0; skipped];
        bytes.extend_from_slice(secret.as_bytes());
        // Characters that also hold bits of what stands before or after the secret are left out.
        let first = (skipped * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let text = engine.encode(&bytes);
            if let Some(text) = text.get(first..last) {
                add(text.to_owned());
            }
        }
    }

    // UTF-16 of either order, where it is taken for another encoding. Its first or last byte may be the
    // zero of the character beside it.
    let units: Vec<u16> = secret.encode_utf16().collect();
    let of = |bytes: fn(u16) -> [u8; 2]| units.iter().copied().flat_map(bytes).collect::<Vec<u8>>();
    for bytes in [of(u16::to_le_bytes), of(u16::to_be_bytes)] {
        let start = usize::from(bytes.first() == Some(&0));
        let end = bytes.len() - usize::from(bytes.last() == Some(&0));
        patterns.extend(bytes.get(start..end).map(<[u8]>::to_vec));
    }
}
