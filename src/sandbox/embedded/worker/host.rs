//! What the worker does for code without asking anybody: clocks, random bytes, digests.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{Datelike as _, Timelike as _};
use monty_types::{ExcType, MontyDate, MontyDateTime, MontyException, MontyObject, OsFunctionCall};
use sha2::Digest as _;

use super::values::exception;

/// The names of the functions that code may call, which lowering and the bridged modules use.
pub(in crate::sandbox::embedded) const NAMES: &[&str] = &[
    "_mce_function",
    "_mce_functions",
    "_mce_host_crc32",
    "_mce_host_digest",
    "_mce_host_error_field",
    "_mce_host_future",
    "_mce_host_hmac",
    "_mce_host_local_offset",
    "_mce_host_monotonic",
    "_mce_host_page",
    "_mce_host_page_later",
    "_mce_host_paging",
    "_mce_host_random_bytes",
    "_mce_host_resolve",
    "_mce_host_resolve_later",
    "_mce_host_sleep",
    "_mce_host_sleep_now",
    "_mce_host_stream",
    "_mce_host_stream_later",
    "_mce_host_time",
    "_mce_host_type_name",
    "_mce_main_started",
    "_mce_null",
];
/// More random bytes are not given at once.
const MOST_RANDOM: usize = 1 << 20;

/// What came of a call.
pub(super) enum Local {
    Value(MontyObject),
    Error(MontyException),
    /// Everything waits so long.
    Sleep(Duration),
    /// The call is done after so long.
    Wake(Duration),
    /// A future of this id is done after so long.
    Resolve(i64, Duration),
    Unknown,
}

/// Whether there is a function of that name.
pub(super) fn is_known(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// Does what a function does.
pub(super) fn local(name: &str, arguments: &[MontyObject]) -> Local {
    match (name, arguments) {
        ("_mce_host_time", []) => Local::Value(MontyObject::Float(now().as_secs_f64())),
        ("_mce_host_monotonic", []) => Local::Value(MontyObject::Float(since_start())),
        ("_mce_host_sleep_now", [time]) => seconds(time).map_or_else(Local::Error, Local::Sleep),
        ("_mce_host_sleep", [time]) => seconds(time).map_or_else(Local::Error, Local::Wake),
        ("_mce_host_random_bytes", [MontyObject::Int(size)]) => random_bytes(*size),
        ("_mce_host_digest", [MontyObject::String(name), MontyObject::Bytes(data)]) => {
            digest(name, data)
        }
        ("_mce_host_resolve_later", [MontyObject::Int(id), time]) => {
            seconds(time).map_or_else(Local::Error, |time| Local::Resolve(*id, time))
        }
        // Containers have no other time zone than UTC.
        ("_mce_host_local_offset", [_]) => Local::Value(MontyObject::Int(0)),
        (
            "_mce_host_hmac",
            [
                MontyObject::String(name),
                MontyObject::Bytes(key),
                MontyObject::Bytes(data),
            ],
        ) => keyed_digest(name, key, data),
        ("_mce_host_crc32", [MontyObject::Bytes(data), MontyObject::Int(value)]) => {
            let before = u32::try_from(*value).unwrap_or_default();
            let mut hasher = crc32fast::Hasher::new_with_initial(before);
            hasher.update(data);
            Local::Value(MontyObject::Int(hasher.finalize().into()))
        }
        _ if is_known(name) => Local::Error(exception(
            ExcType::TypeError,
            format!("{name}() was given other arguments than it takes"),
        )),
        _ => Local::Unknown,
    }
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Seconds since the first time that anybody asked, which is all that a monotonic clock tells.
fn since_start() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "a time to sleep")]
fn seconds(time: &MontyObject) -> Result<Duration, MontyException> {
    let seconds = match time {
        MontyObject::Int(seconds) => *seconds as f64,
        MontyObject::Float(seconds) => *seconds,
        MontyObject::Bool(is_one) => f64::from(u8::from(*is_one)),
        _ => return Err(exception(ExcType::TypeError, "a number is required")),
    };
    if seconds < 0.0 {
        return Err(exception(
            ExcType::ValueError,
            "sleep length must be non-negative",
        ));
    }
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| exception(ExcType::OverflowError, "timestamp too large to convert"))
}

fn random_bytes(size: i64) -> Local {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size > MOST_RANDOM {
        return Local::Error(exception(
            ExcType::ValueError,
            format!("at most {MOST_RANDOM} random bytes are given at once"),
        ));
    }
    let mut bytes = vec![0; size];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Local::Value(MontyObject::Bytes(bytes)),
        Err(error) => Local::Error(exception(ExcType::OSError, error.to_string())),
    }
}

fn digest(name: &str, data: &[u8]) -> Local {
    let digest = match name {
        "md5" => md5::Md5::digest(data).to_vec(),
        "sha1" => sha1::Sha1::digest(data).to_vec(),
        "sha224" => sha2::Sha224::digest(data).to_vec(),
        "sha256" => sha2::Sha256::digest(data).to_vec(),
        "sha384" => sha2::Sha384::digest(data).to_vec(),
        "sha512" => sha2::Sha512::digest(data).to_vec(),
        "sha3_224" => sha3::Sha3_224::digest(data).to_vec(),
        "sha3_256" => sha3::Sha3_256::digest(data).to_vec(),
        "sha3_384" => sha3::Sha3_384::digest(data).to_vec(),
        "sha3_512" => sha3::Sha3_512::digest(data).to_vec(),
        "blake2b" => blake2b_simd::blake2b(data).as_bytes().to_vec(),
        "blake2s" => blake2s_simd::blake2s(data).as_bytes().to_vec(),
        _ => match short_digest(name, data) {
            Some(digest) => digest,
            None => return no_digest(name),
        },
    };
    Local::Value(MontyObject::Bytes(digest))
}

/// A digest of a chosen length, such as `blake2b-16`.
fn short_digest(name: &str, data: &[u8]) -> Option<Vec<u8>> {
    let (name, size) = name.split_once('-')?;
    let size: usize = size.parse().ok()?;
    let within = |largest: usize| (1..=largest).contains(&size).then_some(size);
    match name {
        "blake2b" => {
            let mut digest = blake2b_simd::Params::new();
            digest.hash_length(within(blake2b_simd::OUTBYTES)?);
            Some(digest.hash(data).as_bytes().to_vec())
        }
        "blake2s" => {
            let mut digest = blake2s_simd::Params::new();
            digest.hash_length(within(blake2s_simd::OUTBYTES)?);
            Some(digest.hash(data).as_bytes().to_vec())
        }
        _ => None,
    }
}

fn keyed_digest(name: &str, key: &[u8], data: &[u8]) -> Local {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    macro_rules! keyed {
        ($digest:ty) => {
            Hmac::<$digest>::new_from_slice(key)
                .map(|mac| mac.chain_update(data).finalize().into_bytes().to_vec())
        };
    }
    let keyed = match name {
        "md5" => keyed!(md5::Md5),
        "sha1" => keyed!(sha1::Sha1),
        "sha224" => keyed!(sha2::Sha224),
        "sha256" => keyed!(sha2::Sha256),
        "sha384" => keyed!(sha2::Sha384),
        "sha512" => keyed!(sha2::Sha512),
        _ => return no_digest(name),
    };
    // A key may have any length.
    keyed.map_or_else(
        |_| no_digest(name),
        |mac| Local::Value(MontyObject::Bytes(mac)),
    )
}

fn no_digest(name: &str) -> Local {
    Local::Error(exception(
        ExcType::ValueError,
        format!("unsupported hash type {name}"),
    ))
}

/// The date or the time, where that is what is asked for. Containers have no other time zone than UTC.
pub(super) fn clock(asked: &OsFunctionCall) -> Option<MontyObject> {
    let zone = match asked {
        OsFunctionCall::DateToday => None,
        OsFunctionCall::DateTimeNow(zone) => Some(zone),
        _ => return None,
    };
    let offset = zone
        .and_then(Option::as_ref)
        .map(|zone| zone.offset_seconds);
    let now = now();
    let shifted = i64::try_from(now.as_secs()).ok()? + i64::from(offset.unwrap_or(0));
    let moment = chrono::DateTime::from_timestamp(shifted, now.subsec_nanos())?.naive_utc();
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    let (year, month, day) = (moment.year(), small(moment.month()), small(moment.day()));
    Some(match zone {
        None => MontyObject::Date(MontyDate { year, month, day }),
        Some(zone) => MontyObject::DateTime(MontyDateTime {
            year,
            month,
            day,
            hour: small(moment.hour()),
            minute: small(moment.minute()),
            second: small(moment.second()),
            microsecond: moment.nanosecond() / 1_000,
            offset_seconds: offset,
            timezone_name: zone.as_ref().and_then(|zone| zone.name.clone()),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_looking_up_needs() {
        assert!(NAMES.is_sorted());
        assert!(is_known("_mce_function") && !is_known("_mce_other") && !is_known("print"));
    }

    #[test]
    fn digests_are_those_that_everybody_has() {
        for (name, expected) in [
            ("md5", "90015098"),
            ("sha1", "a9993e36"),
            ("sha256", "ba7816bf"),
            ("sha3_256", "3a985da7"),
            ("blake2b", "ba80a53f"),
            ("blake2s", "508c5e8c"),
            ("blake2b-4", "63906248"),
        ] {
            let arguments = vec![
                MontyObject::String(name.to_owned()),
                MontyObject::Bytes(b"abc".to_vec()),
            ];
            let Local::Value(MontyObject::Bytes(found)) = local("_mce_host_digest", &arguments)
            else {
                panic!("{name} has no digest");
            };
            assert_eq!(hex::encode(&found[..4]), expected, "{name}");
        }
    }

    #[test]
    fn sleeping_takes_what_pythons_takes() {
        let slept = |time| local("_mce_host_sleep_now", &[time]);
        assert!(
            matches!(slept(MontyObject::Float(0.5)), Local::Sleep(time) if time.as_millis() == 500)
        );
        assert!(matches!(slept(MontyObject::Int(-1)), Local::Error(_)));
        assert!(matches!(slept(MontyObject::None), Local::Error(_)));
        assert!(matches!(
            slept(MontyObject::Float(f64::NAN)),
            Local::Error(_)
        ));
    }
}
