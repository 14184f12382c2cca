//! Identifiers nobody can guess.

use std::fmt::Write as _;

/// 128 random bits in hexadecimal.
///
/// # Errors
/// The system has no source of randomness.
pub(super) fn random() -> Result<String, getrandom::Error> {
    let mut bits = [0_u8; 16];
    getrandom::fill(&mut bits)?;
    Ok(hex(&bits))
}

/// Bytes in lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
