//! What a plain YAML scalar means (YAML 1.2.2, section 10.3.2, less its surprises).

use serde_json::Number;

use super::NodeValue;

/// The value of a plain (unquoted) scalar.
///
/// Differences from the core schema: `.inf`, `.nan` and numbers with leading zeros stay strings,
/// since JSON cannot spell them and documents mean them as text.
pub(super) fn resolve(text: &str) -> NodeValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        "true" | "True" | "TRUE" => NodeValue::Bool(true),
        "false" | "False" | "FALSE" => NodeValue::Bool(false),
        _ => number(text).map_or_else(|| NodeValue::String(text.to_owned()), NodeValue::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => ("-", text.get(1..)?),
        b'+' => ("", text.get(1..)?),
        _ => ("", text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (rest.get(..at)?, Some(rest.get(at + 1..)?)),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if !digits(whole) || !digits(fraction.unwrap_or_default()) || leading_zero {
        return None;
    }
    if whole.is_empty() && fraction.is_none_or(str::is_empty) {
        return None;
    }
    let mut spelt = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if let Some(fraction) = fraction {
        spelt.push('.');
        spelt.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if unsigned.is_empty() || !digits(unsigned) {
            return None;
        }
        spelt.push('e');
        spelt.push_str(exponent);
    }
    spelt.parse().ok()
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    if digits.starts_with('+') {
        return None;
    }
    let value = u128::from_str_radix(digits, radix).ok()?;
    value.to_string().parse().ok()
}
