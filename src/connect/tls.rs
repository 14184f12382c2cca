//! Certificates and keys out of files.

use std::fmt;
use std::path::Path;

use reqwest::{Certificate, Identity};
use zeroize::Zeroizing;

use crate::config::{Environment, ServerConfig, Template};
use crate::files::{self, Links};

/// The largest file of certificates or keys.
const LARGEST: u64 = 4 << 20;

/// Certificates and keys of a server's entry in the config.
#[derive(Clone, Default)]
pub struct Tls {
    /// Certificates that are trusted beside those of the system.
    pub certificates: Vec<Certificate>,
    /// The client's own certificate and key.
    pub identity: Option<Identity>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tls(…)")
    }
}

impl Tls {
    /// Reads the files that an entry names, relative to the config's folder.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn of(
        server: &ServerConfig,
        folder: &Path,
        environment: &Environment,
    ) -> Result<Self, String> {
        let path = |template: &Template| {
            let text = template.expand(environment);
            text.map(|text| folder.join(text))
                .map_err(|error| error.to_string())
        };
        let certificates = match &server.ca_file {
            Some(file) => certificates(&path(file)?)?,
            None => Vec::new(),
        };
        let identity = match (&server.client_cert_file, &server.client_key_file) {
            (Some(certificate), Some(key)) => Some(identity(&path(certificate)?, &path(key)?)?),
            _ => None,
        };
        Ok(Self {
            certificates,
            identity,
        })
    }
}

/// The certificates of a `ca_file`: PEM, in a regular file of a bounded size.
fn certificates(path: &Path) -> Result<Vec<Certificate>, String> {
    let pem = read("ca_file", path)?;
    match Certificate::from_pem_bundle(&pem) {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err(wrong("ca_file", path, "holds no PEM certificate")),
    }
}

/// The client's own certificate, with those that lead to its root, and its key: PEM, the key without a
/// password.
fn identity(certificate: &Path, key: &Path) -> Result<Identity, String> {
    let (certificate_key, key_key) = ("client_cert_file", "client_key_file");
    let mut pem = read(certificate_key, certificate)?;
    if !Certificate::from_pem_bundle(&pem).is_ok_and(|found| !found.is_empty()) {
        return Err(wrong(
            certificate_key,
            certificate,
            "holds no PEM certificate",
        ));
    }
    let own_key = read(key_key, key)?;
    let holds = |text: &[u8]| own_key.windows(text.len()).any(|part| part == text);
    if holds(b"BEGIN ENCRYPTED PRIVATE KEY") || holds(b"Proc-Type: 4,ENCRYPTED") {
        return Err(wrong(
            key_key,
            key,
            "holds a key with a password, which cannot be used",
        ));
    }
    if !holds(b"PRIVATE KEY-----") {
        return Err(wrong(key_key, key, "holds no PEM private key"));
    }
    pem.push(b'\n');
    pem.extend_from_slice(&own_key);
    Identity::from_pem(&pem)
        .map_err(|_| wrong(key_key, key, "holds no key that fits `client_cert_file`"))
}

fn read(setting: &str, path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    files::read_regular(path, LARGEST, Links::Followed)
        .map(Zeroizing::new)
        .map_err(|error| wrong(setting, path, &error.to_string()))
}

fn wrong(setting: &str, path: &Path, what: &str) -> String {
    format!("the `{setting}` `{}` {what}", path.display())
}
