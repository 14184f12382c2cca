//! What is indexed of a function.

/// A function as the index sees it. All texts are as the API's document has them; empty ones are
/// those it does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The server's identifier, by which queries may be narrowed.
    pub server: String,
    /// What the server calls itself.
    pub title: String,
    /// The function's name.
    pub function: String,
    /// The document's identifier of the operation.
    pub operation_id: String,
    /// The HTTP method in upper case.
    pub method: String,
    /// The path template, placeholders in braces.
    pub path: String,
    /// The operation's tags, by which queries may be narrowed.
    pub tags: Vec<String>,
    /// One line on what it does.
    pub summary: String,
    /// More on what it does.
    pub description: String,
    /// The parameters.
    pub parameters: Vec<Named>,
    /// The fields of the body, nested ones too.
    pub body_fields: Vec<Named>,
}

/// A parameter or a field of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What the document says of it.
    pub description: String,
    /// The values that it may have, where the document lists them.
    pub values: Vec<String>,
}
