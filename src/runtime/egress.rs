//! What executions need of the broker and the vault.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use crate::broker::{Scope, Target};
use crate::sandbox::Host;

/// The servers that passed the load check, by name.
pub type Targets = BTreeMap<String, Target>;

/// Makes the hosts of executions and knows the secrets that no result may hold.
#[async_trait]
pub trait Egress: Send + Sync {
    /// Gets ready for calls of what `targets` holds, and reports what is wrong there.
    async fn prepare(&self, targets: &Arc<Targets>);

    /// The host of one execution: it can call what `targets` holds and `scope` names.
    async fn host(&self, targets: &Arc<Targets>, scope: Scope) -> Arc<dyn Host>;

    /// The text without secrets.
    fn redact(&self, text: &str) -> String;

    /// The name of a member without secrets. One that is as a short secret by chance stays.
    fn redact_name(&self, name: &str) -> String {
        self.redact(name)
    }
}
