//! What the values of settings look like.

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use url::Url;

use super::error::quote;
use super::{SandboxChoice, SandboxMode};
use crate::domains::Domain;

/// 1024 × 1024.
pub(super) const MIB: usize = 1 << 20;
/// 1024 × 1024 × 1024.
pub(super) const GIB: usize = 1 << 30;

/// What a setting expected.
pub(super) struct Invalid(pub(super) String);

impl Invalid {
    pub(super) fn expected(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// A value as a message may repeat it: whole if it is a short word, else only its length, since
/// what landed in the wrong variable may be a secret.
pub(super) fn describe(value: &str) -> String {
    let plain = value.len() <= 16
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.,:/".contains(&byte));
    if plain {
        quote(value)
    } else {
        format!("a value of {} characters", value.chars().count())
    }
}

pub(super) fn parse_host(text: &str) -> Result<IpAddr, Invalid> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    text.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .map_err(|_| Invalid::expected("an IP address such as `127.0.0.1`"))
}

pub(super) fn parse_boolean(text: &str) -> Result<bool, Invalid> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(Invalid::expected("`true` or `false`")),
    }
}

/// The seeds' Python levels, `tracing`'s levels, or a whole filter.
pub(super) fn parse_log_level(text: &str) -> Result<String, Invalid> {
    let level = match text.to_ascii_lowercase().as_str() {
        "critical" | "fatal" | "error" => "error",
        "warning" | "warn" => "warn",
        "info" => "info",
        "debug" => "debug",
        "notset" | "trace" => "trace",
        "off" => "off",
        // A single unknown word would be taken for a target with every level on.
        _ if text.contains(['=', ','])
            && !text.contains(char::is_whitespace)
            && tracing_subscriber::EnvFilter::try_new(text).is_ok() =>
        {
            return Ok(text.to_owned());
        }
        _ => {
            return Err(Invalid::expected(
                "a level (`error`, `warn`, `info`, `debug`, `trace`) or a filter like \
                 `mce=debug,info`",
            ));
        }
    };
    Ok(level.to_owned())
}

pub(super) fn parse_path(text: &str) -> Result<PathBuf, Invalid> {
    if text.chars().any(char::is_control) {
        return Err(Invalid::expected("a path without control characters"));
    }
    Ok(PathBuf::from(text))
}

pub(super) fn parse_sandbox(text: &str) -> Result<SandboxChoice, Invalid> {
    match text.to_ascii_lowercase().as_str() {
        "auto" => Ok(SandboxChoice::Auto),
        "docker" => Ok(SandboxChoice::Docker),
        "embedded" if cfg!(feature = "embedded") => Ok(SandboxChoice::Embedded),
        "embedded" => Err(Invalid::expected(
            "`auto` or `docker` (this build of mce has no `embedded`)",
        )),
        _ => Err(Invalid::expected("`auto`, `docker` or `embedded`")),
    }
}

pub(super) fn parse_mode(text: &str) -> Result<SandboxMode, Invalid> {
    match text.to_ascii_lowercase().as_str() {
        "warm" => Ok(SandboxMode::Warm),
        "cold" => Ok(SandboxMode::Cold),
        _ => Err(Invalid::expected("`warm` or `cold`")),
    }
}

pub(super) fn parse_image(text: &str) -> Result<String, Invalid> {
    let valid = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.len() <= 512
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-/:@".contains(&byte));
    if valid {
        Ok(text.to_owned())
    } else {
        Err(Invalid::expected(
            "an image reference such as `mce-sandbox:latest`",
        ))
    }
}

pub(super) fn parse_docker_host(text: &str) -> Result<String, Invalid> {
    if text.starts_with('/') && !text.chars().any(char::is_control) {
        return Ok(format!("unix://{text}"));
    }
    let known = ["unix://", "ssh://", "tcp://", "http://", "https://"];
    if known.iter().any(|scheme| text.starts_with(scheme)) && !text.chars().any(char::is_control) {
        return Ok(text.to_owned());
    }
    Err(Invalid::expected(
        "an address such as `unix:///var/run/docker.sock` or `ssh://user@host`",
    ))
}

pub(super) fn parse_runtime(text: &str) -> Result<String, Invalid> {
    let valid = text.len() <= 128
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if valid {
        Ok(text.to_owned())
    } else {
        Err(Invalid::expected("the name of a runtime such as `runsc`"))
    }
}

pub(super) fn parse_cpus(text: &str) -> Result<f64, Invalid> {
    text.parse()
        .ok()
        .filter(|cpus| (0.01..=1024.0).contains(cpus))
        .ok_or_else(|| Invalid::expected("a number from 0.01 to 1024"))
}

pub(super) fn parse_user(text: &str) -> Result<String, Invalid> {
    let (user, group) = text.split_once(':').unwrap_or((text, text));
    match (user.parse::<u32>(), group.parse::<u32>()) {
        (Ok(user), Ok(group)) if user != 0 && group != 0 => Ok(format!("{user}:{group}")),
        _ => Err(Invalid::expected(
            "`uid:gid`, both numbers above 0 (the code never runs as root)",
        )),
    }
}

pub(super) fn parse_domains(text: &str) -> Result<Vec<String>, Invalid> {
    const EXPECTED: &str = "domains separated by commas, such as `example.com,api.example.org:8443` \
                            (sub-domains are included; no scheme, path or `*`)";
    // An IPv6 address begins with a bracket as well.
    let within = text.strip_prefix('[').and_then(|it| it.split(']').next());
    let is_list = within.is_some_and(|within| within.parse::<Ipv6Addr>().is_err());
    let items: Vec<String> = if is_list {
        serde_json::from_str(text).map_err(|_| Invalid::expected("a JSON list of strings"))?
    } else {
        text.split(',').map(str::to_owned).collect()
    };
    let mut domains = Vec::new();
    for item in items.iter().map(|item| item.trim()) {
        if item.is_empty() {
            continue;
        }
        let domain: Domain = item.parse().map_err(|_| Invalid::expected(EXPECTED))?;
        domains.push(domain.to_string());
    }
    if domains.is_empty() {
        return Err(Invalid::expected(
            "at least one domain (leave it unset to allow no free requests)",
        ));
    }
    Ok(domains)
}

pub(super) fn parse_proxy(text: &str) -> Result<String, Invalid> {
    let expected = || Invalid::expected("an http:// or https:// URL");
    let url = Url::parse(text).map_err(|_| expected())?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(text.to_owned())
    } else {
        Err(expected())
    }
}

/// A whole number within bounds.
pub(super) fn whole<T>(text: &str, least: T, most: T) -> Result<T, Invalid>
where
    T: Copy + FromStr + PartialOrd + Display,
{
    text.parse()
        .ok()
        .filter(|number| (&least..=&most).contains(&number))
        .ok_or_else(|| Invalid::expected(format!("a whole number from {least} to {most}")))
}

/// A number of seconds above zero.
pub(super) fn seconds(text: &str, most: f64) -> Result<Duration, Invalid> {
    text.parse()
        .ok()
        .filter(|seconds: &f64| *seconds > 0.0 && *seconds <= most)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| Invalid::expected(format!("seconds above 0 and up to {most}")))
}

/// A size: bytes, or with one of Docker's suffixes `b`, `k`, `m`, `g` (powers of 1024).
pub(super) fn size<T: TryFrom<usize>>(text: &str, least: usize, most: usize) -> Result<T, Invalid> {
    let lower = text.to_ascii_lowercase();
    let number = lower.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let factor = match lower.get(number.len()..).unwrap_or_default() {
        "" | "b" => Some(1),
        "k" | "kb" | "kib" => Some(1024),
        "m" | "mb" | "mib" => Some(MIB),
        "g" | "gb" | "gib" => Some(GIB),
        _ => None,
    };
    factor
        .and_then(|factor| number.trim_end().parse::<usize>().ok()?.checked_mul(factor))
        .filter(|bytes| (least..=most).contains(bytes))
        .and_then(|bytes| T::try_from(bytes).ok())
        .ok_or_else(|| {
            Invalid::expected(format!(
                "a size from {} to {}, such as `65536` (bytes) or `256m`",
                spelt(least),
                spelt(most)
            ))
        })
}

/// A size as one would write it: with a suffix where that is exact.
fn spelt(bytes: usize) -> String {
    for (factor, suffix) in [(GIB, "g"), (MIB, "m"), (1024, "k")] {
        if bytes >= factor && bytes.is_multiple_of(factor) {
            return format!("{}{suffix}", bytes / factor);
        }
    }
    bytes.to_string()
}
