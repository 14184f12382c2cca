//! Renders an API as Python. Pure.
