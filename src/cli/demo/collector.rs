//! Where the demo's code tries to send data: a listener at an address of this machine that a
//! container with a network would reach, so that a network cannot go unnoticed.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinHandle;

/// What stands for the address in the code of a stage.
pub(super) const PLACE: &str = "https://collector.example";

/// Counts connections, and answers none.
#[derive(Debug)]
pub(super) struct Collector {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Collector {
    /// Listens at a free port.
    pub(super) fn open() -> std::io::Result<Self> {
        let listener = TcpListener::bind((outward_address(), 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let connections = Arc::new(AtomicUsize::new(0));
        let task = tokio::spawn({
            let connections = Arc::clone(&connections);
            async move {
                while listener.accept().await.is_ok() {
                    connections.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        Ok(Self {
            address,
            connections,
            task,
        })
    }

    /// The code with the address in its place.
    pub(super) fn named_in(&self, code: &str) -> String {
        code.replace(PLACE, &format!("http://{}", self.address))
    }

    /// How many connections came so far.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The address of this machine that faces outward; loopback where it has none. Nothing is sent:
/// connecting a UDP socket only chooses a route.
fn outward_address() -> IpAddr {
    let found = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    found.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_is_counted() {
        let collector = Collector::open().expect("a port");
        assert_eq!(collector.connections(), 0);
        let code = collector.named_in("httpx.post(\"https://collector.example/books\")");
        assert_eq!(
            code,
            format!("httpx.post(\"http://{}/books\")", collector.address)
        );
        let _connection = tokio::net::TcpStream::connect(collector.address)
            .await
            .expect("a connection");
        while collector.connections() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(collector.connections(), 1);
    }
}
