//! One MCP service for each principal, so that what belongs to one does not exist for the others.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::keys::{Key, Principal};
use super::sessions::Sessions;
use crate::config::HttpSettings;
use crate::runtime::Client;

tokio::task_local! {
    /// Who sends the request that is being answered.
    static CLIENT: Client;
}

/// Makes what answers one client of a principal.
pub type MakeHandler<H> = dyn Fn(&Principal, Client) -> H + Send + Sync;

/// The services of all principals that came so far.
pub(super) struct Doors<H> {
    make: Arc<MakeHandler<H>>,
    settings: HttpSettings,
    ending: CancellationToken,
    open: Mutex<HashMap<String, Arc<Door<H>>>>,
}

/// The service of one principal.
pub(super) struct Door<H> {
    key: Arc<Key>,
    service: StreamableHttpService<H, Sessions>,
    sessions: Arc<Sessions>,
    ending: CancellationToken,
}

impl<H: ServerHandler> Doors<H> {
    pub(super) fn new(make: Arc<MakeHandler<H>>, settings: HttpSettings) -> Self {
        Self {
            make,
            settings,
            ending: CancellationToken::new(),
            open: Mutex::default(),
        }
    }

    /// The door of a principal. One whose principal comes with another token than before, or may use
    /// other servers, is a new one.
    pub(super) fn of(&self, key: &Arc<Key>) -> Arc<Door<H>> {
        let mut open = self.open();
        let name = &key.principal.name;
        if let Some(door) = open.get(name) {
            if *door.key == **key {
                return Arc::clone(door);
            }
            door.ending.cancel();
        }
        let door = Arc::new(self.make_door(key));
        open.insert(name.clone(), Arc::clone(&door));
        door
    }

    fn make_door(&self, key: &Arc<Key>) -> Door<H> {
        let ending = self.ending.child_token();
        let sessions = Arc::new(Sessions::new(
            self.settings.max_sessions,
            self.settings.session_idle,
        ));
        // Host and Origin were checked when a request comes here.
        let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        config.json_response = true;
        config.cancellation_token = ending.clone();
        config.max_request_body_bytes = self.settings.max_body_bytes.saturating_add(1);
        let make = Arc::clone(&self.make);
        let for_whom = Arc::clone(key);
        let service = StreamableHttpService::new(
            move || {
                let client = CLIENT
                    .try_with(|client| *client)
                    .map_err(|_| io::Error::other("a request came in without its client"))?;
                Ok(make(&for_whom.principal, client))
            },
            Arc::clone(&sessions),
            config,
        );
        Door {
            key: Arc::clone(key),
            service,
            sessions,
            ending,
        }
    }

    /// Ends the sessions of tokens that are not, or not with the same principal, among `keys`.
    pub(super) fn keep_only(&self, keys: &[Arc<Key>]) {
        self.open().retain(|_, door| {
            let stays = keys.iter().any(|it| **it == *door.key);
            if !stays {
                door.ending.cancel();
            }
            stays
        });
    }

    /// How many MCP sessions there are.
    pub(super) fn sessions(&self) -> usize {
        self.open().values().map(|door| door.sessions.count()).sum()
    }

    /// Ends everything that runs.
    pub(super) fn close(&self) {
        self.ending.cancel();
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Door<H>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<H: ServerHandler> Door<H> {
    /// Answers a request of a client.
    pub(super) async fn answer(
        &self,
        client: Client,
        request: axum::extract::Request,
    ) -> axum::response::Response {
        let answering = self.service.handle(request);
        let answer = CLIENT.scope(client, answering).await;
        answer.map(axum::body::Body::new)
    }
}
