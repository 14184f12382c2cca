//! Names of the variables that configure a compiled server from outside.

/// The ends of these names: `MCE_<SERVER>_<SUFFIX>`.
pub const SERVER_SUFFIXES: &[&str] = &["BASE_URL", "AUTH", "API_KEY", "COOKIE", "EXTRA_HEADERS"];

/// `MCE_<SERVER>_<SUFFIX>`.
#[must_use]
pub fn of_server(server: &str, suffix: &str) -> String {
    format!("MCE_{}_{suffix}", server.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_holds_the_server_in_capitals() {
        assert_eq!(of_server("open_meteo", "AUTH"), "MCE_OPEN_METEO_AUTH");
    }
}
