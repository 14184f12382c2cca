//! The configuration as a command starts with it: environment, env file, settings, config.

use std::path::{Path, PathBuf};

use super::environment::FILE;
use super::{Config, EnvFile, Environment, Error, Settings};

/// What [`open`] found.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The process's variables and those the env file may set.
    pub environment: Environment,
    /// Every setting.
    pub settings: Settings,
    /// The config, where there is one.
    pub config: Option<Config>,
    /// What the user should know: variables without effect, lines of the env file that were left
    /// out, the config's warnings.
    pub warnings: Vec<String>,
}

/// Opens the configuration. `config` is `--config`; `env_file` is `--env-file`, else `./.env`
/// where there is one. The env file is read once: its settings may say where the config is, and
/// the config says which further variables the env file may set.
///
/// # Errors
/// A file that was asked for is missing, or anything is wrong in one of them.
pub fn open(
    process: Environment,
    config: Option<&Path>,
    env_file: Option<&Path>,
) -> Result<Opened, Error> {
    let usual = PathBuf::from(".env");
    let env_file = match env_file {
        Some(path) => EnvFile::read(path)?,
        None if usual.is_file() => EnvFile::read(&usual)?,
        None => EnvFile::default(),
    };
    let (environment, _) = process.clone().with(&env_file, |_| false);
    let (settings, mut warnings) = Settings::from_environment(&environment)?;
    let config = match Config::find(config, &settings)? {
        Some(path) => Some(Config::load(&path)?),
        None => None,
    };
    let named = config.as_ref().map(Config::variables).unwrap_or_default();
    let is_named = |name: &str| named.contains(name);
    let (environment, left_out) = process.with(&env_file, |name| {
        is_named(name) || name.strip_suffix(FILE).is_some_and(is_named)
    });
    warnings.extend(left_out);
    if let Some(config) = &config {
        warnings.extend(config.warnings.iter().cloned());
        let servers = config.servers.iter().map(|server| server.name.as_str());
        warnings.extend(Settings::unknown_variables(&environment, servers, &named));
    }
    Ok(Opened {
        environment,
        settings,
        config,
        warnings,
    })
}
