//! How a conversation over streams begins and ends.
//!
//! The SDK ends it where the first message is neither a request to begin nor one that needs no beginning,
//! and waits at its end for requests that have none, as subscriptions are.

use std::future::Future;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

/// A transport that passes over what nobody can have asked for yet, and tells of its end.
pub(super) struct Opening<T> {
    inner: T,
    begun: bool,
    ended: CancellationToken,
}

impl<T> Opening<T> {
    /// Around a transport; `ended` is cancelled when nothing more comes.
    pub(super) fn new(inner: T, ended: CancellationToken) -> Self {
        Self {
            inner,
            begun: false,
            ended,
        }
    }

    /// Whether a message may be passed on.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if self.begun {
            return true;
        }
        let ClientJsonRpcMessage::Request(request) = message else {
            // To the SDK a cancellation of nothing would be the end.
            return false;
        };
        self.begun = match &request.request {
            ClientRequest::InitializeRequest(_) => true,
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
            other => other.get_meta().protocol_version().is_some(),
        };
        true
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Opening<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.ended.cancel();
                return None;
            };
            if self.admits(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
