//! One execution from code to result; the registry of compiled servers; code cache; audit.
