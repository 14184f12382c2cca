//! Reads and validates `swaggers.yaml`.
