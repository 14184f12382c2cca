//! Where the engine is: what somebody said, else the usual places. What is said counts alone; only
//! the usual places are tried one after the other.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::address::{Address, Certificates};
use super::error::Error;
use crate::config::EngineVariables;

/// A place where an engine may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The address as it was given.
    pub(super) text: String,
    pub(super) address: Address,
    /// Why it is looked for there.
    pub(super) reason: String,
}

/// The places to look at, best first: one that is configured, or all that are usual. `ours` is
/// `MCE_DOCKER_HOST`. Files are read below `root`, which is `/` but in tests.
///
/// # Errors
/// [`Error::Address`], [`Error::ClearText`], and [`Error::Context`] for a context that cannot be
/// read.
pub(super) fn places(
    ours: Option<&str>,
    variables: &EngineVariables,
    user: Option<u32>,
    root: &Path,
) -> Result<Vec<Candidate>, Error> {
    let of_tls = || variables.tls.then(|| certificates(variables, root));
    for (name, value) in [
        ("MCE_DOCKER_HOST", ours),
        ("DOCKER_HOST", variables.host.as_deref()),
    ] {
        if let Some(text) = value {
            return Ok(vec![Candidate {
                text: text.to_owned(),
                address: Address::parse(text, of_tls())?,
                reason: format!("`{name}`"),
            }]);
        }
    }
    if let Some(place) = of_context(variables, root)? {
        return Ok(vec![place]);
    }
    Ok(usual(variables, user))
}

/// The sockets of rootless engines of this user, then those of the machine.
fn usual(variables: &EngineVariables, user: Option<u32>) -> Vec<Candidate> {
    let own = user.map(|user| PathBuf::from(format!("/run/user/{user}")));
    let mut folders: Vec<PathBuf> = variables.runtime_folder.iter().cloned().collect();
    folders.extend(own.filter(|own| !folders.contains(own)));
    let rootless = folders.iter().flat_map(|folder| {
        ["docker.sock", "podman/podman.sock"]
            .map(|socket| (folder.join(socket), "a rootless engine"))
    });
    let of_machine = ["/var/run/docker.sock", "/run/podman/podman.sock"]
        .map(|socket| (PathBuf::from(socket), "the machine's engine"));
    rootless
        .chain(of_machine)
        .map(|(socket, whose)| Candidate {
            text: format!("unix://{}", socket.display()),
            address: Address::Unix(socket),
            reason: format!("usual place of {whose}"),
        })
        .collect()
}

/// The files of `DOCKER_CERT_PATH`, else of Docker's folder. An own certificate is optional.
fn certificates(variables: &EngineVariables, root: &Path) -> Certificates {
    let folder = variables.certificate_folder.as_ref();
    match folder.or(variables.config_folder.as_ref()) {
        Some(folder) => Certificates {
            authorities: Some(folder.join("ca.pem")),
            identity: identity(folder, root),
        },
        None => Certificates::default(),
    }
}

/// The own certificate of a folder. Where half of it is missing, that is found when it is read.
fn identity(folder: &Path, root: &Path) -> Option<(PathBuf, PathBuf)> {
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let exists = |path: &Path| below(root, path).exists();
    (exists(&certificate) || exists(&key)).then_some((certificate, key))
}

/// `config.json` of Docker's client, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClientConfig {
    #[serde(rename = "currentContext")]
    current_context: String,
}

/// `meta.json` of a context.
#[derive(Debug, Deserialize)]
struct Context {
    #[serde(rename = "Endpoints")]
    endpoints: Endpoints,
}

#[derive(Debug, Deserialize)]
struct Endpoints {
    docker: Endpoint,
}

#[derive(Debug, Deserialize)]
struct Endpoint {
    #[serde(rename = "Host", default)]
    host: String,
    /// Asks for TLS; that the engine is not verified is not granted.
    #[serde(rename = "SkipTLSVerify", default)]
    skip_verification: bool,
}

/// The engine of the context that is chosen, if one is. `default` is none.
fn of_context(variables: &EngineVariables, root: &Path) -> Result<Option<Candidate>, Error> {
    let Some(folder) = &variables.config_folder else {
        return Ok(None);
    };
    let (name, chosen_by) = if let Some(name) = &variables.context {
        (name.clone(), "`DOCKER_CONTEXT`".to_owned())
    } else {
        let path = folder.join("config.json");
        let Some(config) = read::<ClientConfig>(&path, root)? else {
            return Ok(None);
        };
        let chosen_by = format!("`currentContext` in `{}`", path.display());
        (config.current_context, chosen_by)
    };
    if name.is_empty() || name == "default" {
        return Ok(None);
    }
    let id = hex::encode(Sha256::digest(name.as_bytes()));
    let contexts = folder.join("contexts");
    let meta = contexts.join("meta").join(&id).join("meta.json");
    let context = read::<Context>(&meta, root)?.ok_or_else(|| Error::Context {
        path: meta.clone(),
        reason: format!("the context `{name}`, chosen by {chosen_by}, does not exist"),
    })?;
    let endpoint = context.endpoints.docker;
    let tls = contexts.join("tls").join(&id).join("docker");
    let authorities = tls.join("ca.pem");
    let certificates = Certificates {
        authorities: below(root, &authorities).exists().then_some(authorities),
        identity: identity(&tls, root),
    };
    let is_tls = endpoint.skip_verification || certificates != Certificates::default();
    Ok(Some(Candidate {
        address: Address::parse(&endpoint.host, is_tls.then_some(certificates))?,
        text: endpoint.host,
        reason: format!("Docker's context `{name}`, chosen by {chosen_by}"),
    }))
}

/// Reads a JSON file; `None` where there is none.
fn read<T: serde::de::DeserializeOwned>(path: &Path, root: &Path) -> Result<Option<T>, Error> {
    let unreadable = |reason: String| Error::Context {
        path: path.to_owned(),
        reason,
    };
    match fs::read(below(root, path)) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| unreadable(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found with these variables and these files.
    fn find(pairs: &[(&str, &str)], files: &[(&str, &str)]) -> Result<Vec<Candidate>, Error> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = below(root.path(), Path::new(path));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let environment = crate::config::Environment::from_pairs(pairs.iter().copied());
        let (settings, _) = crate::config::Settings::from_environment(&environment).unwrap();
        let ours = settings.docker_host.as_deref();
        places(ours, &settings.engine_variables, Some(7), root.path())
    }

    fn one(pairs: &[(&str, &str)], files: &[(&str, &str)]) -> Candidate {
        let mut places = find(pairs, files).unwrap();
        assert_eq!(places.len(), 1, "{places:?}");
        places.remove(0)
    }

    fn context(file: &str) -> String {
        let id = hex::encode(Sha256::digest("far"));
        format!("/home/.docker/contexts/{}", file.replace("ID", &id))
    }

    const META: &str = r#"{"Name":"far","Metadata":{},"Endpoints":{"docker":{"Host":"tcp://far:1","SkipTLSVerify":false}}}"#;

    #[test]
    fn what_is_said_first_counts_and_nothing_after_it() {
        let (meta, ca) = (
            context("meta/ID/meta.json"),
            context("tls/ID/docker/ca.pem"),
        );
        let files = [
            ("/home/.docker/config.json", r#"{"currentContext":"far"}"#),
            (&*meta, META),
            (&*ca, ""),
        ];
        let all = [
            ("HOME", "/home"),
            ("MCE_DOCKER_HOST", "/a.sock"),
            ("DOCKER_HOST", "unix:///b.sock"),
            ("DOCKER_CONTEXT", "far"),
        ];
        let place = one(&all, &files);
        assert_eq!(place.text, "unix:///a.sock");
        assert_eq!(place.reason, "`MCE_DOCKER_HOST`");
        let place = one(&[all[0], all[2], all[3]], &files);
        assert_eq!(place.address, Address::Unix("/b.sock".into()));
        assert_eq!(place.reason, "`DOCKER_HOST`");
        let place = one(&[all[0], all[3]], &files);
        assert_eq!(place.text, "tcp://far:1");
        assert_eq!(
            place.reason,
            "Docker's context `far`, chosen by `DOCKER_CONTEXT`"
        );
        let place = one(&[all[0]], &files);
        assert_eq!(
            place.reason,
            "Docker's context `far`, chosen by `currentContext` in `/home/.docker/config.json`"
        );
        let Address::Tls(_, certificates) = place.address else {
            panic!("TLS");
        };
        assert_eq!(certificates.authorities, Some(ca.into()));
        assert_eq!(certificates.identity, None);
    }

    #[test]
    fn without_a_word_the_usual_sockets_are_looked_at_in_turn() {
        let default = r#"{"auths":{},"currentContext":"default"}"#;
        let sockets = |pairs: &[(&str, &str)]| -> Vec<String> {
            let places = find(pairs, &[("/home/.docker/config.json", default)]).unwrap();
            places.into_iter().map(|place| place.text).collect()
        };
        let own = [
            "unix:///run/user/7/docker.sock",
            "unix:///run/user/7/podman/podman.sock",
        ];
        let of_machine = [
            "unix:///var/run/docker.sock",
            "unix:///run/podman/podman.sock",
        ];
        let usual = [own, of_machine].concat();
        assert_eq!(sockets(&[]), usual);
        assert_eq!(sockets(&[("HOME", "/home")]), usual);
        assert_eq!(
            sockets(&[("HOME", "/home"), ("DOCKER_CONTEXT", "default")]),
            usual
        );
        assert_eq!(sockets(&[("XDG_RUNTIME_DIR", "/run/user/7")]), usual);
        let elsewhere = ["unix:///x/docker.sock", "unix:///x/podman/podman.sock"];
        assert_eq!(
            sockets(&[("XDG_RUNTIME_DIR", "/x")]),
            [elsewhere, own, of_machine].concat()
        );
    }

    #[test]
    fn tls_takes_the_files_that_dockers_client_takes() {
        let certificates_of = |pairs: &[(&str, &str)], files: &[(&str, &str)]| {
            let pairs = [pairs, &[("DOCKER_HOST", "tcp://far"), ("HOME", "/home")]].concat();
            match one(&pairs, files).address {
                Address::Tls(authority, certificates) => (authority.port, certificates),
                other => panic!("{other:?}"),
            }
        };
        let (port, certificates) = certificates_of(&[("DOCKER_TLS_VERIFY", "1")], &[]);
        assert_eq!(port, 2376);
        let ca = Some("/home/.docker/ca.pem".into());
        assert_eq!(
            (certificates.authorities, certificates.identity),
            (ca, None)
        );
        let (_, certificates) = certificates_of(
            &[("DOCKER_TLS_VERIFY", "1"), ("DOCKER_CERT_PATH", "/c")],
            &[("/c/cert.pem", "")],
        );
        let identity = ("/c/cert.pem".into(), "/c/key.pem".into());
        assert_eq!(certificates.authorities, Some("/c/ca.pem".into()));
        assert_eq!(certificates.identity, Some(identity));
        let error = find(&[("DOCKER_HOST", "tcp://far")], &[]).unwrap_err();
        assert!(matches!(error, Error::ClearText { .. }), "{error}");
    }

    #[test]
    fn a_context_that_is_not_to_be_verified_is_verified() {
        let meta = context("meta/ID/meta.json");
        let text = META.replace("false", "true");
        let pairs = [("HOME", "/home"), ("DOCKER_CONTEXT", "far")];
        let place = one(&pairs, &[(&meta, &text)]);
        assert!(
            matches!(place.address, Address::Tls(_, ref it) if *it == Certificates::default()),
            "{place:?}"
        );
    }

    #[test]
    fn a_context_that_cannot_be_read_is_an_error_that_names_the_file() {
        let pairs = [("HOME", "/home"), ("DOCKER_CONTEXT", "far")];
        let meta = context("meta/ID/meta.json");
        for (pairs, files, expected) in [
            (
                &pairs[..],
                vec![],
                "the context `far`, chosen by `DOCKER_CONTEXT`",
            ),
            (&pairs[..], vec![(&*meta, "{}")], "Endpoints"),
            (
                &pairs[..1],
                vec![("/home/.docker/config.json", "{")],
                "config.json",
            ),
        ] {
            let error = find(pairs, &files).unwrap_err();
            assert!(matches!(error, Error::Context { .. }), "{error}");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
