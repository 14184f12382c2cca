//! The MCP server; the only module that knows MCP.
