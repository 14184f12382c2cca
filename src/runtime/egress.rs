//! What executions need of the broker and the vault.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::broker::{Scope, Target};
use crate::sandbox::Host;

/// The servers that passed the load check, by name.
pub type Targets = BTreeMap<String, Target>;

/// Makes the hosts of executions and knows the secrets that no result may hold.
pub trait Egress: Send + Sync {
    /// The host of one execution: it can call what `targets` holds and `scope` names.
    fn host(&self, targets: &Arc<Targets>, scope: Scope) -> Arc<dyn Host>;

    /// The text without secrets.
    fn redact(&self, text: &str) -> String;
}
