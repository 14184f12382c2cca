//! What plain requests need to know of the broker: what to write in the place of one to a compiled server.

use reqwest::Method;
use url::Url;

use super::http::{Around, Judged};
use super::server::Server;
use super::{Broker, Redactor};
use crate::api::Function;

impl Around for Broker {
    fn redactor(&self) -> Redactor {
        Self::redactor(self)
    }

    fn instead(&self, server: &str, judged: &Judged) -> String {
        let is_there = |url: &Url| {
            url.host_str() == judged.url.host_str()
                && url.port_or_known_default() == judged.url.port_or_known_default()
        };
        // Several servers may share an origin.
        let mut servers = self.servers.iter().filter(|(name, found)| {
            let base = found.link.as_ref().ok().map(|link| &link.base);
            name.as_str() == server || base.is_some_and(|base| is_there(base.origin()))
        });
        let function = servers.find_map(|(name, found)| {
            let function = function_at(found, &judged.method, &judged.url)?;
            Some((name, &function.name))
        });
        match function {
            Some((server, function)) => format!(
                "it goes to the compiled server `{server}`; call its function: `from \
                 {server}.functions import {function}`"
            ),
            None => format!(
                "it goes to the compiled server `{server}`, of which only compiled functions can \
                 be called: `from {server}.functions import …` (`list_servers` and `get_functions` show them)"
            ),
        }
    }
}

/// The compiled function that a request would reach.
fn function_at<'server>(
    server: &'server Server,
    method: &Method,
    url: &Url,
) -> Option<&'server Function> {
    let base = &server.link.as_ref().ok()?.base;
    server.target.manifest.functions.iter().find(|function| {
        let Ok(base) = base.of_function(function) else {
            return false;
        };
        let Some(below) = base.below_prefix(url.path()) else {
            return false;
        };
        let prefix = &base.route_prefix;
        let path = format!("{prefix}{below}");
        let template = format!("{prefix}{}", function.path);
        function.method == method.as_str() && server.routes.check(&path, &[], &template).is_ok()
    })
}
