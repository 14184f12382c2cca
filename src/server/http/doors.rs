//! One MCP service for each principal, so that what belongs to one does not exist for the others.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::keys::Principal;
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
    principal: Arc<Principal>,
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

    /// The door of a principal. One whose principal may use other servers than before is a new one.
    pub(super) fn of(&self, principal: &Arc<Principal>) -> Arc<Door<H>> {
        let mut open = self.open();
        if let Some(door) = open.get(&principal.name) {
            if *door.principal == **principal {
                return Arc::clone(door);
            }
            door.ending.cancel();
        }
        let door = Arc::new(self.make_door(principal));
        open.insert(principal.name.clone(), Arc::clone(&door));
        door
    }

    fn make_door(&self, principal: &Arc<Principal>) -> Door<H> {
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
        let for_whom = Arc::clone(principal);
        let service = StreamableHttpService::new(
            move || {
                let client = CLIENT
                    .try_with(|client| *client)
                    .map_err(|_| io::Error::other("a request came in without its client"))?;
                Ok(make(&for_whom, client))
            },
            Arc::clone(&sessions),
            config,
        );
        Door {
            principal: Arc::clone(principal),
            service,
            sessions,
            ending,
        }
    }

    /// Ends the sessions of principals that are not, or not the same, among `principals`.
    pub(super) fn keep_only(&self, principals: &[Arc<Principal>]) {
        self.open().retain(|_, door| {
            let stays = principals.iter().any(|it| **it == *door.principal);
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
