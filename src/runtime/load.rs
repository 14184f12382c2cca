//! The load check of one server: what is reviewed is what is enforced.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::identifier::hex;
use super::registry::Served;
use super::source::Source;
use crate::api::{MANIFEST_VERSION, Manifest, RUNTIME_ABI, is_mutating};
use crate::broker::Target;
use crate::config::ServerConfig;
use crate::python::check_module;

const MANIFEST: &str = "manifest.json";
const FUNCTIONS: &str = "functions.py";
/// Bound on either file.
const MAX_BYTES: u64 = 256 << 20;

/// Reads and checks a server's folder. The error says what is wrong and what to do.
pub(super) fn check(
    folder: &Path,
    server: &str,
    config: &Arc<ServerConfig>,
    skip: bool,
) -> Result<Served, String> {
    let manifest = read(folder, MANIFEST)?;
    let manifest: Manifest = serde_json::from_slice(&manifest).map_err(|error| {
        format!("its `{MANIFEST}` is not one `mce` wrote ({error}); run `mce compile`")
    })?;
    let functions = read(folder, FUNCTIONS)?;
    let read_only = manifest.read_only || config.is_read_only;
    if !skip {
        check_manifest(&manifest, server)?;
        if manifest.outputs.get(FUNCTIONS) != Some(&hex(&Sha256::digest(&functions))) {
            return Err(format!(
                "its `{FUNCTIONS}` was changed since it was compiled; run `mce compile`"
            ));
        }
        check_functions(&manifest, &functions)?;
        if read_only {
            check_read_only(&manifest, config)?;
        }
    }
    let functions = String::from_utf8(functions)
        .map_err(|_| format!("its `{FUNCTIONS}` is not UTF-8; run `mce compile`"))?;
    Ok(Served {
        target: Target {
            read_only,
            manifest: Arc::new(manifest),
            config: Arc::clone(config),
        },
        source: Source::new(functions),
    })
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let path = folder.join(name);
    let is_file = path.symlink_metadata().is_ok_and(|data| data.is_file());
    if !is_file {
        return Err(format!("it has no `{name}`; run `mce compile`"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(&path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("its `{name}` cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("its `{name}` has more than {MAX_BYTES} bytes"));
    }
    Ok(bytes)
}

fn check_manifest(manifest: &Manifest, server: &str) -> Result<(), String> {
    if manifest.manifest_version != MANIFEST_VERSION || manifest.runtime_abi != RUNTIME_ABI {
        return Err(format!(
            "it was compiled for another version of `mce` (manifest {}, runtime {}; expected \
             {MANIFEST_VERSION}, {RUNTIME_ABI}); run `mce compile`",
            manifest.manifest_version, manifest.runtime_abi
        ));
    }
    if manifest.server != server {
        return Err("its manifest is that of another server; run `mce compile`".to_owned());
    }
    Ok(())
}

/// The module and the manifest must tell of the same functions.
fn check_functions(manifest: &Manifest, functions: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(functions)
        .map_err(|_| format!("its `{FUNCTIONS}` is not UTF-8; run `mce compile`"))?;
    let facts = check_module(text).map_err(|error| format!("{error}; run `mce compile`"))?;
    let stubs = facts.functions.iter().map(|stub| &stub.name);
    if stubs.eq(manifest.functions.iter().map(|function| &function.name)) {
        Ok(())
    } else {
        Err(format!(
            "its `{FUNCTIONS}` and `{MANIFEST}` list different functions; run `mce compile`"
        ))
    }
}

/// The second of three layers that each alone keep a read-only server read-only.
fn check_read_only(manifest: &Manifest, config: &ServerConfig) -> Result<(), String> {
    let allowed = |method: &str, path: &str| {
        let mut entries = config.read_only_allow.iter();
        entries.any(|entry| entry.method == method && entry.path == path)
    };
    let mutating = manifest.functions.iter().find(|function| {
        is_mutating(&function.method) && !allowed(&function.method, &function.path)
    });
    match mutating {
        Some(function) => Err(format!(
            "it is read-only, but `{}` sends {}; run `mce compile`",
            function.name, function.method
        )),
        None => Ok(()),
    }
}
