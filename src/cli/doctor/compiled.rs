//! Whether what was compiled is what was reviewed, and whether its calls can go anywhere.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::time::timeout;

use super::super::output::{absolute, counted};
use super::super::startup::Configured;
use super::{Finding, PATIENCE};
use crate::broker::{Limits, Target};
use crate::compile::verify;
use crate::config::{Environment, ServerConfig};

const COMPILED: &str = "compiled";
const BASE_URL: &str = "base URL";

/// Looks at every server as it is looked at before it is used.
pub(super) async fn look(configured: &Configured, servers: &[Arc<ServerConfig>]) -> Vec<Finding> {
    let output = configured.settings.compiled_output_dir.clone();
    if servers.is_empty() {
        return vec![
            Finding::problem(
                COMPILED,
                format!("nothing in {}", absolute(&output).display()),
            )
            .advice("run `mce compile`, or set `MCE_COMPILED_OUTPUT_DIR`"),
        ];
    }
    let mut looking = Looking {
        output,
        environment: Arc::clone(&configured.environment),
        limits: Limits::from(&*configured.settings),
        sound: 0,
        functions: 0,
        origins: BTreeSet::new(),
        reached: 0,
        compiled: Vec::new(),
        base_urls: Vec::new(),
    };
    let servers = servers.to_vec();
    let looking = tokio::task::spawn_blocking(move || {
        for server in &servers {
            looking.look_at(server);
        }
        looking.findings()
    });
    match timeout(PATIENCE, looking).await {
        Ok(Ok(findings)) => findings,
        _ => vec![Finding::late(COMPILED)],
    }
}

/// What was found of the servers so far.
struct Looking {
    output: PathBuf,
    environment: Arc<Environment>,
    limits: Limits,
    /// Servers that are as compiled, and their functions.
    sound: usize,
    functions: usize,
    /// Where calls go, and of how many servers.
    origins: BTreeSet<String>,
    reached: usize,
    /// What is wrong.
    compiled: Vec<Finding>,
    base_urls: Vec<Finding>,
}

impl Looking {
    fn look_at(&mut self, server: &Arc<ServerConfig>) {
        let allowed = server.read_only_allow.iter();
        let allowed = allowed.map(|it| (it.method.as_str(), it.path.as_str()));
        let verified = verify(&self.output, &server.name).and_then(|verified| {
            verified.check_read_only(server.is_read_only, allowed)?;
            Ok(verified)
        });
        match verified {
            Ok(verified) => {
                self.sound += 1;
                self.functions += verified.manifest.functions.len();
                self.reach(&Target::new(verified.manifest, server));
            }
            Err(error) => {
                let message = format!("server `{}`: {error}", server.name);
                let finding = Finding::of_message(COMPILED, &message, "run `mce compile`");
                self.compiled.push(finding);
            }
        }
    }

    fn reach(&mut self, target: &Target) {
        match target.destination(&self.environment, &self.limits) {
            Ok(destination) => {
                self.reached += 1;
                self.origins.insert(destination.origin);
            }
            Err(problem) => {
                let variable = target.config.env_name("BASE_URL");
                let otherwise = format!("put `base_url` in swaggers.yaml right, or `{variable}`");
                let finding = Finding::of_message(BASE_URL, &problem, &otherwise);
                self.base_urls.push(finding);
            }
        }
    }

    fn findings(self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.sound > 0 {
            let found = format!(
                "{} as compiled, {}",
                counted(self.sound, "server"),
                counted(self.functions, "function")
            );
            findings.push(Finding::ok(COMPILED, found));
        }
        findings.extend(self.compiled);
        if self.reached > 0 {
            let found = format!(
                "calls of {} go to {}",
                counted(self.reached, "server"),
                counted(self.origins.len(), "origin")
            );
            findings.push(Finding::ok(BASE_URL, found));
        }
        findings.extend(self.base_urls);
        findings
    }
}
