//! `match`.
//!
//! Each case becomes a branch of an `if`. Names are bound by `:=` after all of a pattern has matched,
//! as `CPython` does it; until then its parts are held by helping variables.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::Visitor as _;
use crate::pysyntax::ast::{
    Expr, MatchCase, Pattern, PatternMatchClass, PatternMatchMapping, PatternMatchOr,
    PatternMatchSequence, Singleton, Stmt, StmtClassDef, StmtMatch,
};
use crate::pysyntax::{Ranged, TextRange};

use super::builtins::WHOLE_PATTERNS;
use super::rewrite::Rewriter;

/// The most cases of one `match`: the interpreter counts each as a level.
const MAX_CASES: usize = 100;

/// Names to bind, each with the variable that holds the value.
type Bound<'a> = Vec<(&'a str, String)>;

impl<'a> Rewriter<'_, 'a> {
    pub fn match_statement(&mut self, it: &'a StmtMatch) {
        let Some(first) = it.cases.first() else {
            return;
        };
        if it.cases.len() > MAX_CASES {
            self.refuse("a `match` with this many cases", it.start());
            return;
        }
        let between = TextRange::new(it.subject.end(), first.start());
        let Some(colon) = self.source.first(between, TokenKind::Colon) else {
            return;
        };
        let subject = self.name("subject");
        let text = self.rendered(&it.subject);
        let header = TextRange::new(it.start(), colon.end());
        let text = format!("if [{subject} := ({text})");
        let padding = self.padding(header, &text);
        self.edits.replace(header, format!("{text}{padding}]:"));
        let outside = self.indentation.clone();
        for (index, case) in it.cases.iter().enumerate() {
            let is_last = index + 1 == it.cases.len();
            if !is_last && case.guard.is_none() && case.pattern.is_irrefutable() {
                self.refuse(
                    "a case that leaves nothing to the ones after it",
                    case.start(),
                );
            }
            self.source
                .indentation(case.start())
                .clone_into(&mut self.indentation);
            self.case(case, &subject, index == 0);
        }
        self.indentation = outside;
    }

    fn case(&mut self, case: &'a MatchCase, subject: &str, is_first: bool) {
        let end = case
            .guard
            .as_ref()
            .map_or_else(|| case.pattern.end(), |guard| guard.end());
        let colon = case.body.first().and_then(|first| {
            let between = TextRange::new(end, first.start());
            self.source.first(between, TokenKind::Colon)
        });
        let Some(colon) = colon else {
            return;
        };
        let mut bound = Bound::new();
        let mut tests = self.pattern(&case.pattern, subject, &mut bound);
        if !bound.is_empty() {
            let names: Vec<String> = bound
                .iter()
                .map(|(name, held)| format!("{name} := {held}"))
                .collect();
            tests.push(format!("[{}]", names.join(", ")));
        }
        if let Some(guard) = &case.guard {
            let guard = self.rendered(guard);
            tests.push(format!("({guard})"));
        }
        let header = TextRange::new(case.start(), colon.end());
        let condition = tests.join(" and ");
        let padding = self.padding(header, &condition);
        let condition = if condition.is_empty() && !padding.is_empty() {
            format!("({padding}True)")
        } else if padding.is_empty() {
            condition
        } else {
            format!("({condition}{padding})")
        };
        let branch = match (is_first, condition.is_empty()) {
            (true, true) => "if True:".to_owned(),
            (false, true) => "else:".to_owned(),
            (true, false) => format!("if {condition}:"),
            (false, false) => format!("elif {condition}:"),
        };
        self.edits.replace(header, branch);
        self.visit_body(&case.body);
    }

    /// The tests that a pattern makes of a variable, in order.
    fn pattern(
        &mut self,
        pattern: &'a Pattern,
        subject: &str,
        bound: &mut Bound<'a>,
    ) -> Vec<String> {
        match pattern {
            Pattern::MatchValue(it) => {
                let value = self.rendered(&it.value);
                vec![format!("{subject} == ({value})")]
            }
            Pattern::MatchSingleton(it) => {
                let value = match it.value {
                    Singleton::None => "None",
                    Singleton::True => "True",
                    Singleton::False => "False",
                };
                vec![format!("{subject} is {value}")]
            }
            Pattern::MatchAs(it) => {
                let tests = match &it.pattern {
                    Some(pattern) => self.pattern(pattern, subject, bound),
                    None => Vec::new(),
                };
                if let Some(name) = &it.name {
                    bound.push((name.as_str(), subject.to_owned()));
                }
                tests
            }
            Pattern::MatchOr(it) => self.alternatives(it, subject, bound),
            Pattern::MatchSequence(it) => self.sequence(it, subject, bound),
            Pattern::MatchMapping(it) => self.mapping(it, subject, bound),
            Pattern::MatchClass(it) => self.class_pattern(it, subject, bound),
            Pattern::MatchStar(it) => {
                self.refuse("such a pattern", it.start());
                Vec::new()
            }
        }
    }

    fn alternatives(
        &mut self,
        it: &'a PatternMatchOr,
        subject: &str,
        bound: &mut Bound<'a>,
    ) -> Vec<String> {
        let mut held: Bound<'a> = Vec::new();
        let mut choices = Vec::new();
        for (index, pattern) in it.patterns.iter().enumerate() {
            let mut own = Bound::new();
            let mut tests = self.pattern(pattern, subject, &mut own);
            if index == 0 {
                for (name, _) in &own {
                    held.push((name, self.name("bound")));
                }
            }
            let mut names = Vec::new();
            for (name, value) in &own {
                if let Some((_, variable)) = held.iter().find(|(it, _)| it == name) {
                    names.push(format!("{variable} := {value}"));
                }
            }
            if !names.is_empty() {
                tests.push(format!("[{}]", names.join(", ")));
            }
            choices.push(if tests.is_empty() {
                "True".to_owned()
            } else {
                tests.join(" and ")
            });
        }
        bound.extend(held);
        vec![format!("({})", choices.join(" or "))]
    }

    fn sequence(
        &mut self,
        it: &'a PatternMatchSequence,
        subject: &str,
        bound: &mut Bound<'a>,
    ) -> Vec<String> {
        let sequence = self.name("sequence");
        let count = it.patterns.len();
        let star = it.patterns.iter().position(Pattern::is_match_star);
        let length = match star {
            None => format!("_mce_len({sequence}) == {count}"),
            Some(_) => format!("_mce_len({sequence}) >= {}", count - 1),
        };
        let mut tests = vec![
            format!("({sequence} := _mce_sequence({subject})) is not None"),
            length,
        ];
        for (index, pattern) in it.patterns.iter().enumerate() {
            let from_end = count - index;
            let after = from_end - 1;
            let value = if let Pattern::MatchStar(it) = pattern {
                let Some(name) = &it.name else {
                    continue;
                };
                let part = self.name("part");
                let end = if after == 0 {
                    String::new()
                } else {
                    format!("-{after}")
                };
                tests.push(format!("[{part} := [*{sequence}[{index}:{end}]]]"));
                bound.push((name.as_str(), part));
                continue;
            } else if star.is_some_and(|star| index > star) {
                format!("{sequence}[-{from_end}]")
            } else {
                format!("{sequence}[{index}]")
            };
            self.part(pattern, &value, None, &mut tests, bound);
        }
        tests
    }

    /// The tests of a part of a subject, which `value` gives, and which has to be there.
    fn part(
        &mut self,
        pattern: &'a Pattern,
        value: &str,
        missing: Option<&str>,
        tests: &mut Vec<String>,
        bound: &mut Bound<'a>,
    ) {
        let is_wildcard =
            matches!(pattern, Pattern::MatchAs(it) if it.pattern.is_none() && it.name.is_none());
        match missing {
            None if is_wildcard => {}
            None => {
                let part = self.name("part");
                tests.push(format!("[{part} := {value}]"));
                tests.append(&mut self.pattern(pattern, &part, bound));
            }
            Some(missing) => {
                let part = self.name("part");
                tests.push(format!("({part} := {value}) is not {missing}"));
                tests.append(&mut self.pattern(pattern, &part, bound));
            }
        }
    }

    fn mapping(
        &mut self,
        it: &'a PatternMatchMapping,
        subject: &str,
        bound: &mut Bound<'a>,
    ) -> Vec<String> {
        let mut tests = vec![format!("_mce_is_mapping({subject})")];
        if !it.keys.is_empty() {
            tests.push(format!("_mce_len({subject}) >= {}", it.keys.len()));
        }
        let mut keys = Vec::new();
        for (key, pattern) in it.keys.iter().zip(&it.patterns) {
            let key = self.rendered(key);
            let value = format!("_mce_mapping_get({subject}, ({key}))");
            keys.push(format!("({key})"));
            self.part(pattern, &value, Some("_mce_MISSING"), &mut tests, bound);
        }
        if let Some(rest) = &it.rest {
            let part = self.name("part");
            let keys = keys.join(", ");
            tests.push(format!(
                "[{part} := _mce_mapping_rest({subject}, [{keys}])]"
            ));
            bound.push((rest.as_str(), part));
        }
        tests
    }

    fn class_pattern(
        &mut self,
        it: &'a PatternMatchClass,
        subject: &str,
        bound: &mut Bound<'a>,
    ) -> Vec<String> {
        let class = self.rendered(&it.cls);
        let mut tests = vec![format!("_mce_isinstance({subject}, ({class}))")];
        let positions = &it.arguments.patterns;
        let is_whole = self
            .builtin_name(&it.cls)
            .is_some_and(|name| WHOLE_PATTERNS.contains(&name));
        if let ([pattern], true) = (positions.as_slice(), is_whole) {
            tests.append(&mut self.pattern(pattern, subject, bound));
        } else if !positions.is_empty() {
            let names = it
                .cls
                .as_name_expr()
                .and_then(|name| self.scopes.resolve(self.scope, name.id.as_str())?.class())
                .and_then(|class| self.match_args(class));
            let Some(names) = names.filter(|names| names.len() >= positions.len()) else {
                self.refuse("a class pattern with positions of this class", it.start());
                return tests;
            };
            for (pattern, name) in positions.iter().zip(names) {
                self.attribute_pattern(pattern, name, subject, &mut tests, bound);
            }
        }
        for keyword in &it.arguments.keywords {
            let name = keyword.attr.as_str();
            if name.starts_with("__") {
                self.refuse(format!("the attribute `{name}`"), keyword.start());
            }
            self.attribute_pattern(&keyword.pattern, name, subject, &mut tests, bound);
        }
        tests
    }

    fn attribute_pattern(
        &mut self,
        pattern: &'a Pattern,
        name: &str,
        subject: &str,
        tests: &mut Vec<String>,
        bound: &mut Bound<'a>,
    ) {
        let value = if self.facts.has_api_errors {
            format!("_mce_get_field({subject}, \"{name}\", _mce_MISSING)")
        } else {
            format!("_mce_getattr({subject}, \"{name}\", _mce_MISSING)")
        };
        self.part(pattern, &value, Some("_mce_MISSING"), tests, bound);
    }

    /// The attributes that the positions of a class pattern stand for.
    fn match_args(&self, class: &'a StmtClassDef) -> Option<Vec<&'a str>> {
        for stmt in &class.body {
            if let Stmt::Assign(assign) = stmt
                && let [Expr::Name(name)] = assign.targets.as_slice()
                && name.id.as_str() == "__match_args__"
            {
                let Expr::Tuple(tuple) = &*assign.value else {
                    return None;
                };
                let names = tuple.elts.iter().map(|element| {
                    element
                        .as_string_literal_expr()
                        .map(|literal| literal.value.to_str())
                });
                return names.collect();
            }
        }
        self.is_dataclass(class).then(|| {
            class
                .body
                .iter()
                .filter_map(|stmt| match stmt {
                    Stmt::AnnAssign(field) => Some(field.target.as_name_expr()?.id.as_str()),
                    _ => None,
                })
                .collect()
        })
    }
}
