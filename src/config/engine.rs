//! The variables by which Docker's own client finds its engine. An env file cannot set them.

use std::path::PathBuf;

use super::Environment;

/// Where Docker's own client would look for its engine, and with what it would go there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineVariables {
    /// `DOCKER_HOST`
    pub host: Option<String>,
    /// `DOCKER_CONTEXT`
    pub context: Option<String>,
    /// `DOCKER_CONFIG`, else `~/.docker`
    pub config_folder: Option<PathBuf>,
    /// `DOCKER_TLS_VERIFY` or `DOCKER_TLS`: addresses of TCP are spoken to over TLS. Any value
    /// counts, as it does for Docker's client.
    pub tls: bool,
    /// `DOCKER_CERT_PATH`
    pub certificate_folder: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`, where rootless engines have their sockets
    pub runtime_folder: Option<PathBuf>,
    /// `ssh` as `PATH` has it.
    pub ssh: Option<PathBuf>,
    /// The variables that `ssh` is started with. No other: some hold credentials of APIs.
    pub ssh_environment: Vec<(String, String)>,
}

impl EngineVariables {
    /// Reads them. An empty one counts as one that is not set.
    #[must_use]
    pub fn from_environment(environment: &Environment) -> Self {
        let text = |name: &str| environment.get(name).filter(|value| !value.is_empty());
        let path = |name: &str| text(name).map(PathBuf::from);
        let home = path("HOME");
        Self {
            host: text("DOCKER_HOST").map(str::to_owned),
            context: text("DOCKER_CONTEXT").map(str::to_owned),
            config_folder: path("DOCKER_CONFIG").or_else(|| Some(home?.join(".docker"))),
            tls: text("DOCKER_TLS_VERIFY").is_some() || text("DOCKER_TLS").is_some(),
            certificate_folder: path("DOCKER_CERT_PATH"),
            runtime_folder: path("XDG_RUNTIME_DIR"),
            ssh: environment.program("ssh"),
            ssh_environment: environment
                .names()
                .filter(|name| is_of_ssh(name))
                .filter_map(|name| Some((name.to_owned(), environment.get(name)?.to_owned())))
                .collect(),
        }
    }
}

/// Whether `ssh`, its agent or a proxy command of its configuration needs the variable.
fn is_of_ssh(name: &str) -> bool {
    let known = [
        "HOME",
        "PATH",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "KRB5CCNAME",
    ];
    known.contains(&name)
        || ["SSH_", "LC_", "XDG_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_counts_for_nothing_and_ssh_gets_no_credential() {
        let variables = EngineVariables::from_environment(&Environment::from_pairs([
            ("HOME", "/home/a"),
            ("DOCKER_CONFIG", ""),
            ("DOCKER_TLS_VERIFY", ""),
            ("DOCKER_CONTEXT", "far"),
            ("SSH_AUTH_SOCK", "/agent"),
            ("MCE_PETS_AUTH", "canary"),
            ("TOKEN", "canary"),
        ]));
        let expected = EngineVariables {
            context: Some("far".to_owned()),
            config_folder: Some("/home/a/.docker".into()),
            ssh_environment: vec![
                ("HOME".to_owned(), "/home/a".to_owned()),
                ("SSH_AUTH_SOCK".to_owned(), "/agent".to_owned()),
            ],
            ..EngineVariables::default()
        };
        assert_eq!(variables, expected);
    }

    #[test]
    fn tls_is_on_by_any_value_as_for_dockers_client() {
        for (name, value) in [("DOCKER_TLS_VERIFY", "0"), ("DOCKER_TLS", "1")] {
            let environment = Environment::from_pairs([(name, value)]);
            assert!(EngineVariables::from_environment(&environment).tls);
        }
    }
}
