//! A small pretty printer that lays out Python the way `black` and `ruff format` do: on one line
//! where it fits, else one item a line with a trailing comma.

use std::fmt::Write as _;

/// Columns of a line.
pub(super) const WIDTH: usize = 100;

/// A piece of Python that may be broken over lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Code {
    /// Never broken.
    Text(String),
    /// `head` + `(…)`, `[…]` or `{…}`.
    Bracket {
        head: String,
        open: char,
        items: Vec<Code>,
        close: char,
    },
    /// `before` + value + `after`: a keyword argument, a dictionary item, a parameter.
    Around {
        before: String,
        value: Box<Code>,
        after: String,
    },
    /// `a | b`.
    Union(Vec<Code>),
}

impl Code {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn subscript(head: &str, items: Vec<Code>) -> Self {
        Self::Bracket {
            head: head.to_owned(),
            open: '[',
            items,
            close: ']',
        }
    }

    pub(super) fn call(head: &str, items: Vec<Code>) -> Self {
        Self::Bracket {
            head: head.to_owned(),
            open: '(',
            items,
            close: ')',
        }
    }

    pub(super) fn around(before: impl Into<String>, value: Code, after: impl Into<String>) -> Self {
        Self::Around {
            before: before.into(),
            value: Box::new(value),
            after: after.into(),
        }
    }

    /// The code on one line.
    pub(super) fn flat(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Bracket {
                head,
                open,
                items,
                close,
            } => {
                let inner: Vec<String> = items.iter().map(Self::flat).collect();
                // A tuple of one needs its comma.
                let comma = if head.is_empty() && *open == '(' && items.len() == 1 {
                    ","
                } else {
                    ""
                };
                format!("{head}{open}{}{comma}{close}", inner.join(", "))
            }
            Self::Around {
                before,
                value,
                after,
            } => format!("{before}{}{after}", value.flat()),
            Self::Union(members) => members
                .iter()
                .map(Self::flat)
                .collect::<Vec<_>>()
                .join(" | "),
        }
    }

    /// The code for a place that begins at `column`, in a block indented by `indent`, with
    /// `reserve` columns needed after it on its last line.
    pub(super) fn laid_out(&self, indent: usize, column: usize, reserve: usize) -> String {
        let flat = self.flat();
        if column + flat.chars().count() + reserve <= WIDTH {
            return flat;
        }
        let margin = " ".repeat(indent);
        match self {
            Self::Text(text) => text.clone(),
            Self::Bracket {
                head,
                open,
                items,
                close,
            } => {
                if items.is_empty() {
                    return flat;
                }
                let mut text = format!("{head}{open}\n");
                // A trailing comma would make `list[X]` a tuple.
                let comma = if *open == '[' && items.len() == 1 {
                    ""
                } else {
                    ","
                };
                for item in items {
                    let laid_out = item.unparenthesised(indent + 4);
                    let _ = writeln!(text, "{margin}    {laid_out}{comma}");
                }
                text.push_str(&margin);
                text.push(*close);
                text
            }
            Self::Around {
                before,
                value,
                after,
            } => {
                let column = column + before.chars().count();
                let reserve = reserve + after.chars().count();
                format!("{before}{}{after}", value.laid_out(indent, column, reserve))
            }
            Self::Union(_) => {
                format!(
                    "(\n{margin}    {}\n{margin})",
                    self.unparenthesised(indent + 4)
                )
            }
        }
    }

    /// Inside brackets a union needs no parentheses of its own.
    fn unparenthesised(&self, indent: usize) -> String {
        match self {
            Self::Union(members) if indent + self.flat().chars().count() + 1 > WIDTH => {
                let members: Vec<String> = members
                    .iter()
                    .map(|member| member.laid_out(indent, indent + 2, 1))
                    .collect();
                members.join(&format!("\n{}| ", " ".repeat(indent)))
            }
            other => other.laid_out(indent, indent, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_on_one_line() {
        let code = Code::subscript("dict", vec![Code::text("str"), Code::text("int")]);
        assert_eq!(code.laid_out(0, 0, 0), "dict[str, int]");
        assert_eq!(Code::call("", vec![Code::text("1")]).flat(), "(1,)");
    }

    #[test]
    fn what_does_not_is_broken_with_a_trailing_comma() {
        let long = "x".repeat(60);
        let code = Code::around(
            "a: ",
            Code::subscript("dict", vec![Code::text(&long), Code::text(&long)]),
            " = None",
        );
        assert_eq!(
            code.laid_out(4, 4, 1),
            format!("a: dict[\n        {long},\n        {long},\n    ] = None")
        );
        let code = Code::subscript(
            "list",
            vec![Code::Union(vec![Code::text(&long), Code::text(&long)])],
        );
        assert_eq!(
            code.laid_out(0, 0, 0),
            format!("list[\n    {long}\n    | {long}\n]")
        );
    }
}
