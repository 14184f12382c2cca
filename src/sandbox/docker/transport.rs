//! A client of the engine's API over each kind of address.
//!
//! TLS and `ssh` are put together here and not by `bollard`: its TLS believes every authority of
//! the machine beside the given one, and its `ssh` believes any machine at the first meeting and
//! logs in anew for each request.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bollard::{API_DEFAULT_VERSION, Docker};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use super::address::{Address, Authority, Certificates};
use super::ssh::Dialer;
use crate::config::EngineVariables;

/// Seconds until the answer to a request begins.
const TIMEOUT: u64 = 120;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A dead machine at the other end is noticed after a few of these.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a connection is kept for the next request, and how many are.
const IDLE: Duration = Duration::from_secs(30);
const MOST_IDLE: usize = 4;

/// A client; nothing is sent yet. The error says what is missing.
pub(super) fn client(address: &Address, variables: &EngineVariables) -> Result<Docker, String> {
    let text = |error: bollard::errors::Error| super::error::reason(&error);
    match address {
        Address::Unix(path) => {
            let path = path.to_str().ok_or("its path is not UTF-8")?;
            Docker::connect_with_unix(path, TIMEOUT, API_DEFAULT_VERSION).map_err(text)
        }
        Address::Loopback(authority) => {
            let address = format!("http://{authority}");
            Docker::connect_with_http(&address, TIMEOUT, API_DEFAULT_VERSION).map_err(text)
        }
        Address::Tls(authority, certificates) => {
            let connector = https(certificates)?;
            // As over HTTP: a connection that the engine closed meanwhile is none to begin with.
            over(connector, &format!("https://{authority}"), 0).map_err(text)
        }
        Address::Ssh(destination) => {
            let dialer = Dialer {
                program: variables.ssh.clone().ok_or("there is no `ssh` on `PATH`")?,
                environment: variables.ssh_environment.clone(),
                destination: destination.clone(),
            };
            // Nobody looks this host up.
            let authority = Authority {
                host: "ssh".to_owned(),
                port: 80,
            };
            over(dialer, &format!("http://{authority}"), MOST_IDLE).map_err(text)
        }
    }
}

fn over<C>(connector: C, address: &str, idle: usize) -> Result<Docker, bollard::errors::Error>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(idle)
        .build(connector);
    let transport = move |request: bollard::BollardRequest| {
        let response = client.request(request);
        async move { response.await.map_err(bollard::errors::Error::from) }
    };
    Docker::connect_with_custom_transport(transport, Some(address), TIMEOUT, API_DEFAULT_VERSION)
}

fn https(certificates: &Certificates) -> Result<HttpsConnector<HttpConnector>, String> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = &certificates.authorities {
        for authority in chain(file)? {
            let added = roots.add(authority);
            added.map_err(|error| format!("`{}`: {error}", file.display()))?;
        }
    } else {
        let (added, _) =
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if added == 0 {
            return Err("this machine believes no certificate authority".to_owned());
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots);
    let config = match &certificates.identity {
        None => config.with_no_client_auth(),
        Some((certificate, key)) => {
            let own = chain(certificate)?;
            let secret = PrivateKeyDer::from_pem_slice(&read(key)?)
                .map_err(|error| format!("`{}` holds no private key: {error}", key.display()))?;
            config
                .with_client_auth_cert(own, secret)
                .map_err(|error| format!("`{}`: {error}", certificate.display()))?
        }
    };
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
    tcp.set_keepalive(Some(KEEP_ALIVE));
    tcp.set_keepalive_interval(Some(KEEP_ALIVE));
    Ok(HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_only()
        .enable_http1()
        .wrap_connector(tcp))
}

/// The certificates of a PEM file; at least one.
fn chain(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let bytes = read(file)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(format!("`{}` holds no certificate", file.display())),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("`{}`: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_for_tls_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let ca = rcgen::generate_simple_self_signed(["far".to_owned()]).unwrap();
        fs::write(path("ca.pem"), ca.cert.pem()).unwrap();
        fs::write(path("text"), "no PEM").unwrap();
        let with = |authorities: &str, own: Option<(&str, &str)>| {
            let certificates = Certificates {
                authorities: Some(path(authorities)),
                identity: own.map(|(certificate, key)| (path(certificate), path(key))),
            };
            https(&certificates).map(drop)
        };
        assert_eq!(with("ca.pem", None), Ok(()));
        for (authorities, own, expected) in [
            ("absent", None, "absent`: No such file"),
            ("text", None, "text` holds no certificate"),
            ("ca.pem", Some(("absent", "text")), "absent`: No such file"),
            (
                "ca.pem",
                Some(("ca.pem", "text")),
                "text` holds no private key",
            ),
        ] {
            let error = with(authorities, own).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn ssh_that_is_not_there_is_named() {
        let address = Address::parse("ssh://far", None).unwrap();
        let error = client(&address, &EngineVariables::default()).unwrap_err();
        assert_eq!(error, "there is no `ssh` on `PATH`");
    }
}
