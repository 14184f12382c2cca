//! The load check of one server: what is reviewed is what is enforced.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::registry::{About, Served};
use crate::broker::Target;
use crate::compile::{Verified, VerifyError, verify};
use crate::config::ServerConfig;

/// Why a server is refused, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// With whole paths, for who runs this.
    pub(super) reason: String,
    /// With paths below the folder of compiled output, for clients: where on the host that is is not
    /// theirs to know.
    pub(super) told: String,
}

impl From<String> for Problem {
    /// What names no file.
    fn from(reason: String) -> Self {
        Self {
            told: reason.clone(),
            reason,
        }
    }
}

/// Reads and checks a server below the folder of compiled output. The error says what is wrong
/// and what to do.
pub(super) fn check(
    output: &Path,
    server: &str,
    config: &Arc<ServerConfig>,
) -> Result<Served, Problem> {
    let verified = verify(output, server).map_err(|error| problem(output, error))?;
    let allowed = config.read_only_allow.iter();
    let allowed = allowed.map(|entry| (entry.method.as_str(), entry.path.as_str()));
    verified
        .check_read_only(config.is_read_only, allowed)
        .map_err(|error| error.to_string())?;
    Ok(served(verified, config))
}

/// A missing file is seldom missing: more often it is looked for from the wrong folder.
fn problem(output: &Path, error: VerifyError) -> Problem {
    let VerifyError::Missing { path } = &error else {
        return Problem {
            reason: error.to_string(),
            told: error.below(output).to_string(),
        };
    };
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let path = whole.components().collect();
    let hint = if output.is_relative() {
        "\n  hint: compiled output is looked for in the working directory; set \
         `MCE_COMPILED_OUTPUT_DIR` where it is elsewhere"
    } else {
        ""
    };
    Problem {
        reason: format!("{}{hint}", VerifyError::Missing { path }),
        told: format!("{}{hint}", error.below(output)),
    }
}

/// Reads a server as it stands, so that tests can attack what comes after the check.
#[cfg(feature = "test-hooks")]
pub(super) fn read_unchecked(
    output: &Path,
    server: &str,
    config: &Arc<ServerConfig>,
) -> Result<Served, Problem> {
    use crate::compile::{FUNCTIONS_FILE, MANIFEST_FILE};
    use crate::python::CompiledModule;
    let read = |file: &str| {
        std::fs::read_to_string(output.join(server).join(file)).map_err(|error| error.to_string())
    };
    let manifest =
        serde_json::from_str(&read(MANIFEST_FILE)?).map_err(|error| error.to_string())?;
    let verified = Verified {
        manifest,
        functions: CompiledModule::read(read(FUNCTIONS_FILE)?)
            .map_err(|error| error.to_string())?,
        skills: None,
    };
    Ok(served(verified, config))
}

fn served(verified: Verified, config: &Arc<ServerConfig>) -> Served {
    Served {
        about: Arc::new(About::of(&verified.manifest)),
        target: Target::new(verified.manifest, config),
        module: verified.functions,
        skills: verified.skills,
        promoted: OnceLock::new(),
    }
}
