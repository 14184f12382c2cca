//! Where calls go: what a document says of it, held against the config and against the origin that
//! was committed.

use std::collections::BTreeMap;

use crate::api::{Api, Manifest, OperationServer, Skipped};
use crate::config::ServerConfig;
use crate::invisible::visible;

/// What is done about a document that moves the API to another origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnMove {
    /// It is an error.
    Refuse,
    /// It is what the user wants.
    Accept,
    /// It is compiled all the same, since nothing is written.
    Show,
}

/// Where calls go: what the document says of it, held against the config and what was committed.
pub(super) fn settle(
    server: &ServerConfig,
    lock: Option<&Manifest>,
    on_move: OnMove,
    api: &mut Api,
) -> Result<(), Moved> {
    let unusable = std::mem::take(&mut api.unusable_server);
    if server.base_url.is_none() {
        // Where the config says it, the document's servers do not matter.
        let told = unusable
            .iter()
            .map(|reason| format!("{reason}; set `base_url`"));
        api.warnings.splice(0..0, told);
        if api.base_url.is_none() && unusable.is_empty() {
            api.warnings
                .push("the document names no server; set `base_url`".to_owned());
        }
    }
    if on_move != OnMove::Accept {
        match keep_origin(server, lock, api) {
            Err(moved) if on_move == OnMove::Refuse => return Err(moved),
            _ => {}
        }
    }
    own_servers(server, api);
    Ok(())
}

/// Another origin than that of the committed manifest.
#[derive(Debug, thiserror::Error)]
#[error(
    "the document moves the API from {} to `{new}`, where credentials would then be sent; if that is right, compile with `--accept-origin`",
    said(old.as_deref())
)]
pub(super) struct Moved {
    old: Option<String>,
    new: String,
}

fn said(origin: Option<&str>) -> String {
    origin.map_or_else(
        || "no server of its own".to_owned(),
        |origin| format!("`{origin}`"),
    )
}

/// Holds an API to the origin that was committed. Where the config says where credentials go, a move
/// is a warning and the committed server stays in the manifest: nobody consented to the new one,
/// and the day `base_url` goes from the config this has to fail.
fn keep_origin(server: &ServerConfig, lock: Option<&Manifest>, api: &mut Api) -> Result<(), Moved> {
    let Err(moved) = check_origin(lock, api.base_url.as_deref()) else {
        return Ok(());
    };
    if server.base_url.is_none() {
        return Err(moved);
    }
    let Moved { old, new } = moved;
    api.warnings.push(format!(
        "the document moves the API from {} to `{new}`; `base_url` of the config is used all the \
         same; `mce compile --accept-origin` notes the new server, and ends this warning",
        said(old.as_deref())
    ));
    api.base_url = lock.and_then(|manifest| manifest.base_url.clone());
    Ok(())
}

/// A document may not move the place that credentials go to without somebody's consent.
fn check_origin(lock: Option<&Manifest>, new: Option<&str>) -> Result<(), Moved> {
    let (Some(manifest), Some(new)) = (lock, new) else {
        return Ok(());
    };
    let old = manifest.base_url.as_deref().and_then(origin);
    match origin(new) {
        Some(new) if old.as_ref() != Some(&new) => Err(Moved { old, new }),
        _ => Ok(()),
    }
}

/// Operations that the document has elsewhere: a configured base URL is the whole prefix of every
/// path, and without one nothing, credentials least of all, goes to another origin.
fn own_servers(server: &ServerConfig, api: &mut Api) {
    let root = api.base_url.as_deref().and_then(origin);
    let mut elsewhere: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept = Vec::new();
    for mut operation in std::mem::take(&mut api.operations) {
        if let OperationServer::Own(url) = &operation.server
            && origin(url) != root
        {
            // The committed origin was kept, see [`keep_origin`].
            operation.server = OperationServer::Elsewhere(format!("`{}`", visible(url)));
        }
        let OperationServer::Elsewhere(servers) = &operation.server else {
            kept.push(operation);
            continue;
        };
        if server.base_url.is_some() {
            *elsewhere.entry(servers.clone()).or_default() += 1;
            kept.push(operation);
            continue;
        }
        api.skipped.push(Skipped {
            reason: format!(
                "unsupported: its own server {servers} is on another origin than the document's; \
                 with `base_url` it is called there"
            ),
            method: operation.method,
            path: operation.path,
            base_url: None,
        });
    }
    api.operations = kept;
    for (servers, count) in elsewhere {
        let verb = if count == 1 {
            "operation has"
        } else {
            "operations have"
        };
        api.warnings.push(format!(
            "{count} {verb} a server of its own ({servers}), which is not used: `base_url` is"
        ));
    }
}

fn origin(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    Some(url.origin().ascii_serialization())
}
