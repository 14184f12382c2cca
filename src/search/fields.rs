//! The fields of a document, and what a word in each is worth.

/// Where a word of a document stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// The names of the function and the operation.
    Name,
    /// The path, without placeholders.
    Path,
    /// The tags.
    Tags,
    /// The summary.
    Summary,
    /// The description.
    Description,
    /// Names of parameters and of fields of the body, and the values that they may have.
    Parameters,
    /// Descriptions of parameters and fields.
    ParameterText,
}

/// How many fields there are.
pub(super) const FIELDS: usize = 7;

/// All fields, in the order of their numbers.
pub(super) const ALL: [Field; FIELDS] = [
    Field::Name,
    Field::Path,
    Field::Tags,
    Field::Summary,
    Field::Description,
    Field::Parameters,
    Field::ParameterText,
];

impl Field {
    /// What a word here counts, in words of a description.
    pub(super) fn weight(self) -> f32 {
        match self {
            Self::Name => 6.0,
            Self::Summary => 5.0,
            Self::Path => 4.0,
            Self::Tags => 2.0,
            Self::Parameters => 1.5,
            Self::Description => 1.0,
            Self::ParameterText => 0.3,
        }
    }

    /// How far a longer field makes each of its words worth less, from 0 to 1: `b` of BM25.
    pub(super) fn length_penalty(self) -> f32 {
        match self {
            Self::Tags => 0.3,
            _ => 0.75,
        }
    }
}
