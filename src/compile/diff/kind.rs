//! The kinds of changes, and how much each matters.

use serde::Serialize;

/// How much a change matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Where requests and credentials go, and what may change state.
    Security,
    /// Code that calls the functions may no longer work.
    Breaking,
    /// Additions, and what callers need not mind.
    Other,
    /// Descriptions only.
    Text,
}

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A server's files are not what was compiled: it would not be served.
    NotAsCompiled,
    /// There is a file that mce did not write and that Python would run.
    ForeignCode,
    /// `mce_runtime.py` differs.
    RuntimeChanged,
    /// The API is at another origin: credentials go there.
    OriginMoved,
    /// The base URL has another path.
    BaseUrlChanged,
    /// An operation is at another base URL of its own.
    FunctionBaseUrlChanged,
    /// Another variable overrides the base URL.
    BaseUrlVariableChanged,
    /// The server is no longer read-only.
    ReadOnlyEnded,
    /// The server is read-only now.
    ReadOnlyBegun,
    /// A security scheme is new: a further place for credentials.
    SchemeAdded,
    /// A security scheme is another one.
    SchemeChanged,
    /// A security scheme is gone.
    SchemeRemoved,
    /// A name now calls another operation.
    FunctionRetargeted,
    /// An operation that may change state is new.
    MutatingFunctionAdded,
    /// An operation that can carry others is new.
    TunnelAdded,
    /// An operation can carry others now.
    TunnelBegun,
    /// An operation wants other credentials.
    SecurityChanged,
    /// An operation that was left out is no longer in the document: what kept other operations
    /// from its path is gone.
    SkippedRemoved,
    /// An operation that was left out is at another base URL of its own, so that other paths lead
    /// to it.
    SkippedBaseUrlChanged,

    /// The server is gone.
    ServerRemoved,
    /// A function is gone; `new` says why.
    FunctionRemoved,
    /// An operation has another name.
    FunctionRenamed,
    /// A parameter is gone.
    ParameterRemoved,
    /// A parameter has another name in Python.
    ParameterRenamed,
    /// A parameter that must be given is new.
    RequiredParameterAdded,
    /// A parameter must be given now.
    ParameterRequired,
    /// A parameter has another type.
    ParameterTypeChanged,
    /// A value is no longer legal.
    EnumValueRemoved,
    /// The function takes a body now that must be given.
    RequiredBodyAdded,
    /// The function takes no body any more.
    BodyRemoved,
    /// The body's argument has another name.
    BodyRenamed,
    /// The body must be given now.
    BodyRequired,
    /// The body has another type.
    BodyTypeChanged,
    /// A media type of the body is gone.
    BodyMediaTypeRemoved,
    /// The function returns another type.
    ReturnTypeChanged,
    /// A key of a type is gone.
    KeyRemoved,
    /// A key of a type must be given now.
    KeyRequired,
    /// A key that must be given is new.
    RequiredKeyAdded,
    /// A key has another schema.
    KeyChanged,
    /// A type has another schema.
    TypeChanged,
    /// A type is gone.
    TypeRemoved,

    /// The server is new.
    ServerAdded,
    /// A function is new.
    FunctionAdded,
    /// A parameter is new.
    ParameterAdded,
    /// A parameter need not be given any more.
    ParameterOptional,
    /// A value is legal now.
    EnumValueAdded,
    /// The function takes a body now that may be left out.
    BodyAdded,
    /// The body need not be given any more.
    BodyOptional,
    /// A media type of the body is new.
    BodyMediaTypeAdded,
    /// The body is sent as another media type where none is selected.
    DefaultMediaTypeChanged,
    /// The same argument has another name, or another place, on the wire.
    WireNameChanged,
    /// The same value is spelt otherwise on the wire.
    EncodingChanged,
    /// The documented default is another one.
    DefaultChanged,
    /// Limits of values differ: the type is the same.
    ConstraintsChanged,
    /// The documented responses are others.
    ResponsesChanged,
    /// How pages are reached differs.
    PaginationChanged,
    /// A key of a type is new.
    KeyAdded,
    /// A key need not be given any more.
    KeyOptional,
    /// The function is deprecated now, or no longer.
    DeprecationChanged,
    /// The document names the operation otherwise.
    OperationIdChanged,
    /// An operation of the document that has no function is new, or has none for another reason.
    SkippedChanged,
    /// Something was repaired or left out.
    WarningAdded,
    /// What was repaired or left out is so no longer.
    WarningRemoved,
    /// The document comes from elsewhere or is of another version.
    SourceChanged,
    /// The notes on the server are new, others or gone.
    SkillsChanged,
    /// Another version of mce.
    CompilerChanged,
    /// The output differs in what no other kind tells.
    ManifestChanged,
    /// Files differ in their line ends.
    LineEndsConverted,

    /// The title or description of the API.
    DescriptionChanged,
    /// The one line on what a function does.
    SummaryChanged,
    /// The docstring of a function.
    DocstringChanged,
    /// The description of a parameter.
    ParameterDescriptionChanged,
    /// Descriptions within a type.
    TypeDescriptionChanged,
    /// The tags of a function.
    TagsChanged,
    /// The text of the module.
    ModuleChanged,
}
