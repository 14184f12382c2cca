//! Values of `swaggers.yaml` that may hold `${VAR}` or `${VAR:-default}`.

/// A text with variables, kept unexpanded until the moment it is used, so that no secret lives in
/// a config value. Expansion is a single pass: what a variable holds is never expanded again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// The text as the file spells it.
    pub text: String,
    /// `file:line:column`, for messages.
    pub place: String,
}
