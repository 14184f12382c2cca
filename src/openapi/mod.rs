//! Loads API documents and normalises them into one model. Knows neither Python nor server names.
