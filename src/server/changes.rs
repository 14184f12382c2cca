//! Tells clients unasked that tools or resources changed, and what happened to servers.
#![expect(
    deprecated,
    reason = "2025-11-25 has logging; the SDK marks all of it for its end in a later revision"
)]

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ResourceUpdatedNotificationParam,
    SubscriptionFilter,
};
use rmcp::service::{Peer, SubscriptionContext, SubscriptionSendError};
use rmcp::{RoleServer, ServiceError};
use serde_json::json;
use tokio::sync::watch;

use super::resources::{is_of_skills, skills_uri};
use super::wishes::Wishes;
use crate::runtime::{Event, Notice, Notices};

/// How often it is looked whether a client is still there.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// How messages name who sends them.
const LOGGER: &str = "mce";

/// Tells a client that began with `initialize`, for as long as it is there, that lists changed, and
/// what else it wishes to know.
pub(super) async fn tell(
    peer: Peer<RoleServer>,
    wishes: Arc<Wishes>,
    mut changes: watch::Receiver<u64>,
    mut notices: Notices,
) {
    loop {
        let told = tokio::select! {
            outcome = changes.changed() => match outcome {
                Ok(()) => tell_lists(&peer).await,
                // There is no runtime any more.
                Err(_) => return,
            },
            notice = notices.next() => match notice {
                Some(notice) => tell_notice(&peer, &wishes, &notice).await,
                None => return,
            },
            () = tokio::time::sleep(LOOK_EVERY) => {
                if peer.is_transport_closed() {
                    return;
                }
                Ok(())
            }
        };
        if told.is_err() {
            return;
        }
    }
}

async fn tell_lists(peer: &Peer<RoleServer>) -> Result<(), ServiceError> {
    peer.notify_tool_list_changed().await?;
    peer.notify_resource_list_changed().await
}

async fn tell_notice(
    peer: &Peer<RoleServer>,
    wishes: &Wishes,
    notice: &Notice,
) -> Result<(), ServiceError> {
    let uri = skills_uri(&notice.server);
    if notice.event == Event::Changed && wishes.follows(&uri) {
        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
            .await?;
    }
    match wishes.level().and_then(|level| message(notice, level)) {
        Some(message) => peer.notify_logging_message(message).await,
        None => Ok(()),
    }
}

/// Tells whoever waits for one request of 2026-07-28 what happens to servers meanwhile, from `level` up.
pub(super) async fn tell_asker(peer: Peer<RoleServer>, level: LoggingLevel, mut notices: Notices) {
    while let Some(notice) = notices.next().await {
        if let Some(message) = message(&notice, level)
            && peer.notify_logging_message(message).await.is_err()
        {
            return;
        }
    }
}

/// The message on a notice, where it is of `least` or above (RFC 5424, 6.2.1).
fn message(notice: &Notice, least: LoggingLevel) -> Option<LoggingMessageNotificationParam> {
    let server = &notice.server;
    let (level, data) = match &notice.event {
        Event::Changed => (
            LoggingLevel::Notice,
            json!({ "message": "a server was compiled anew, changed or removed", "server": server }),
        ),
        Event::Refused(reason) => (
            LoggingLevel::Warning,
            json!({ "message": "a compiled server is refused", "server": server, "reason": reason }),
        ),
    };
    // Their order of declaration is that of their severity.
    let is_wanted = level as u8 >= least as u8;
    is_wanted.then(|| LoggingMessageNotificationParam::new(level, data).with_logger(LOGGER))
}

/// What a client of 2026-07-28 can follow by `subscriptions/listen`; of resources only the notes on servers
/// change. Capabilities narrow it further.
pub(super) fn followable(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut followable = SubscriptionFilter::default();
    followable.tools_list_changed = requested.tools_list_changed;
    followable.resources_list_changed = requested.resources_list_changed;
    let uris = requested.resource_subscriptions.iter().flatten();
    let notes: Vec<String> = uris.filter(|uri| is_of_skills(uri)).cloned().collect();
    followable.resource_subscriptions = (!notes.is_empty()).then_some(notes);
    followable
}

/// Tells a client of 2026-07-28 what it subscribed to, until it has enough.
pub(super) async fn tell_subscriber(
    subscription: SubscriptionContext,
    mut changes: watch::Receiver<u64>,
    mut notices: Notices,
) {
    let accepted = subscription.accepted().clone();
    let sink = subscription.sink();
    loop {
        let told = tokio::select! {
            () = subscription.cancelled() => return,
            change = changes.changed() => {
                if change.is_err() {
                    return;
                }
                async {
                    if accepted.tools_list_changed == Some(true) {
                        sink.notify_tool_list_changed().await?;
                    }
                    if accepted.resources_list_changed == Some(true) {
                        sink.notify_resource_list_changed().await?;
                    }
                    Ok::<_, SubscriptionSendError>(())
                }
                .await
            }
            notice = notices.next() => {
                let Some(notice) = notice else { return };
                let uri = skills_uri(&notice.server);
                let mut followed = accepted.resource_subscriptions.iter().flatten();
                if notice.event == Event::Changed && followed.any(|it| *it == uri) {
                    sink.notify_resource_updated(uri).await
                } else {
                    Ok(())
                }
            }
        };
        if told.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_below_the_level_are_none() {
        let told = |event: Event, least| {
            let server = "pets".to_owned();
            message(&Notice { server, event }, least).is_some()
        };
        let levels = [
            LoggingLevel::Debug,
            LoggingLevel::Info,
            LoggingLevel::Notice,
            LoggingLevel::Warning,
            LoggingLevel::Error,
            LoggingLevel::Critical,
            LoggingLevel::Alert,
            LoggingLevel::Emergency,
        ];
        let count = |event: &Event| {
            let told = levels.iter().filter(|&&level| told(event.clone(), level));
            told.count()
        };
        assert_eq!(count(&Event::Changed), 3);
        assert_eq!(count(&Event::Refused("why".to_owned())), 4);
    }
}
