//! A certificate authority, and APIs over TLS on loopback that it vouches for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::capture::response;

pub struct Authority {
    own: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// An API that speaks HTTP/2.
pub struct Served {
    pub port: u16,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl Served {
    /// Connections and requests so far.
    pub fn count(&self) -> (usize, usize) {
        let of = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        (of(&self.connections), of(&self.requests))
    }
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let own = params.self_signed(&key).unwrap();
        Self {
            own,
            issuer: Issuer::new(params, key),
        }
    }

    pub fn pem(&self) -> String {
        self.own.pem()
    }

    /// A certificate for a name or address, and its key.
    pub fn issue(&self, name: &str) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A server with a certificate for a name.
    pub fn config(&self, name: &str) -> ServerConfig {
        let (certificate, key) = self.issue(name);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap()
    }

    /// The same, for clients with a certificate of this authority only.
    pub fn mutual(&self, name: &str) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.own.der().clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder(Arc::new(roots))
            .build()
            .unwrap();
        let (certificate, key) = self.issue(name);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        ServerConfig::builder()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap()
    }

    /// Answers every request with `1`. Gives the port.
    pub async fn serve(&self, config: ServerConfig) -> u16 {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    continue;
                };
                let _ = stream.read(&mut [0; 4096]).await;
                let bytes = response(200, &[("content-type", "application/json")], "1");
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
            }
        });
        port
    }

    /// The same over HTTP/2 alone.
    pub async fn serve_http_2(&self, name: &str) -> Served {
        let mut config = self.config(name);
        config.alpn_protocols = vec![b"h2".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let served = Served {
            port: listener.local_addr().unwrap().port(),
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let (connections, requests) = (
            Arc::clone(&served.connections),
            Arc::clone(&served.requests),
        );
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, requests) = (acceptor.clone(), Arc::clone(&requests));
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let stream = acceptor.accept(stream).await.unwrap();
                    let mut connection = h2::server::handshake(stream).await.unwrap();
                    while let Some(Ok((_, mut respond))) = connection.accept().await {
                        requests.fetch_add(1, Ordering::SeqCst);
                        let head = http::Response::builder()
                            .header("content-type", "application/json")
                            .body(())
                            .unwrap();
                        let mut body = respond.send_response(head, false).unwrap();
                        body.send_data("1".into(), true).unwrap();
                    }
                });
            }
        });
        served
    }
}
