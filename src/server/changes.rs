//! Tells clients that tools, prompts or resources changed.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ServerCapabilities, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;

/// How often it is looked whether a client is still there.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Tells a client that began with `initialize`, for as long as it is there, of what `capabilities` say
/// that it is told of.
pub(super) async fn tell(
    peer: Peer<RoleServer>,
    capabilities: ServerCapabilities,
    mut changes: watch::Receiver<u64>,
) {
    let of_tools = capabilities.tools.and_then(|it| it.list_changed) == Some(true);
    let of_resources = capabilities.resources.and_then(|it| it.list_changed) == Some(true);
    loop {
        match tokio::time::timeout(LOOK_EVERY, changes.changed()).await {
            Ok(Ok(())) => {
                let told = async {
                    if of_tools {
                        peer.notify_tool_list_changed().await?;
                    }
                    if of_resources {
                        peer.notify_resource_list_changed().await?;
                    }
                    Ok::<_, rmcp::ServiceError>(())
                };
                if told.await.is_err() {
                    return;
                }
            }
            // There is no runtime any more.
            Ok(Err(_)) => return,
            Err(_) if peer.is_transport_closed() => return,
            Err(_) => {}
        }
    }
}

/// What a client of 2026-07-28 can follow by `subscriptions/listen`. Capabilities narrow it further.
pub(super) fn followable(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut followable = SubscriptionFilter::default();
    followable.tools_list_changed = requested.tools_list_changed;
    followable.resources_list_changed = requested.resources_list_changed;
    followable
}

/// Tells a client of 2026-07-28 what it subscribed to, until it has enough.
pub(super) async fn tell_subscriber(
    subscription: SubscriptionContext,
    mut changes: watch::Receiver<u64>,
) {
    let accepted = subscription.accepted().clone();
    let sink = subscription.sink();
    loop {
        tokio::select! {
            () = subscription.cancelled() => return,
            change = changes.changed() => if change.is_err() {
                return;
            },
        }
        let told = async {
            if accepted.tools_list_changed == Some(true) {
                sink.notify_tool_list_changed().await?;
            }
            if accepted.resources_list_changed == Some(true) {
                sink.notify_resource_list_changed().await?;
            }
            Ok::<_, rmcp::service::SubscriptionSendError>(())
        };
        if told.await.is_err() {
            return;
        }
    }
}
