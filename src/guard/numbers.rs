//! The rule for numbers.

use crate::pysyntax::TextRange;

use super::check::Checker;
use super::rule;

/// The most digits that Python reads of a decimal integer (`sys.set_int_max_str_digits`).
const MAX_DIGITS: usize = 4300;

impl Checker<'_> {
    /// A decimal integer that Python refuses to read, to protect itself from quadratic work.
    pub(super) fn check_number(&mut self, range: TextRange) {
        let text = self.source(range);
        let decimal = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_');
        if text.len() > MAX_DIGITS && decimal && text.replace('_', "").len() > MAX_DIGITS {
            let message = format!("the number has more than {MAX_DIGITS} digits");
            let hint = "write it as a power or in hexadecimal";
            self.report(rule::SYNTAX, range, message, hint);
        }
    }
}
