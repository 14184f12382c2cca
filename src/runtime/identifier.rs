//! Identifiers nobody can guess.

/// 128 random bits in hexadecimal.
///
/// # Errors
/// The system has no source of randomness.
pub(super) fn random() -> Result<String, getrandom::Error> {
    let mut bits = [0_u8; 16];
    getrandom::fill(&mut bits)?;
    Ok(hex::encode(bits))
}
