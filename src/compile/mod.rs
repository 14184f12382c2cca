//! The pipeline from a config to `compiled/`: fetch, normalise, name, filter, render, check, write.
