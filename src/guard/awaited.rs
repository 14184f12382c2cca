//! Calls of compiled functions whose value is awaited. They give it at once, so the call would be made
//! before Python said so.

use super::check::Checker;
use super::knowledge::Known;
use super::policy::compiled_functions;
use super::{Awaited, Awaiting};
use crate::pysyntax::Ranged;
use crate::pysyntax::ast::{Expr, ExprCall};

/// What of `asyncio` awaits its first argument.
const AWAITS_ONE: &[&str] = &["wait_for", "create_task", "ensure_future", "shield"];

/// What of `asyncio` awaits all its arguments.
const AWAITS_ALL: &[&str] = &["gather"];

/// Code that says one of these anywhere, in whatever place, may ask whether something can be awaited, or
/// expect that it cannot: it is let through, and Python says so.
const ASKING: &[&str] = &["isawaitable", "iscoroutine", "TypeError"];

/// The attributes of a function that go through all pages.
const PAGING: &[&str] = &["items", "pages"];

impl<'a> Checker<'a> {
    /// Notes what an `await` waits for, where it is certainly no awaitable.
    pub(super) fn note_awaited(&mut self, awaited: &'a Expr) {
        if let Expr::Call(call) = awaited {
            self.note_if_compiled(call, Awaiting::Value);
        }
    }

    /// Notes what an `async for` goes over, where that certainly cannot be.
    pub(super) fn note_awaited_items(&mut self, iterable: &'a Expr) {
        // What a function itself gives may be a stream, which can be gone over so.
        if let Expr::Call(call) = iterable
            && let Expr::Attribute(attribute) = &*call.func
            && let Some(paging) = PAGING.iter().find(|name| **name == attribute.attr.as_str())
        {
            self.note_called(&attribute.value, call, Awaiting::Pages(paging));
        }
    }

    /// Notes what is given to `asyncio` to be awaited, where it is certainly no awaitable.
    pub(super) fn note_awaited_arguments(&mut self, call: &'a ExprCall) {
        let arguments = &call.arguments.args;
        let has_calls = |argument: &&Expr| made_in(argument).is_some();
        if !arguments.iter().any(|it| has_calls(&it)) {
            return;
        }
        let surely = |names| self.is_surely(&call.func, "asyncio", names);
        let awaited = if surely(AWAITS_ALL) {
            arguments.len()
        } else {
            usize::from(surely(AWAITS_ONE))
        };
        for made in arguments.iter().take(awaited).filter_map(made_in) {
            self.note_if_compiled(made, Awaiting::Value);
        }
    }

    fn note_if_compiled(&mut self, call: &'a ExprCall, awaiting: Awaiting) {
        self.note_called(&call.func, call, awaiting);
    }

    fn note_called(&mut self, function: &'a Expr, call: &'a ExprCall, awaiting: Awaiting) {
        if self.facts.awaited.is_some() || !self.is_certain(function) {
            return;
        }
        let known = self.known(function);
        let Some(first @ Known::Name(module, name)) = known.first() else {
            return;
        };
        let compiled = compiled_functions(module, self.names);
        let functions = compiled.and_then(|server| self.names.get(server));
        let is_compiled = functions.is_some_and(|functions| functions.contains(name.as_str()));
        if is_compiled && known.iter().all(|it| it == first) && !self.asks_what_can_be_awaited() {
            self.facts.awaited = Some(Awaited {
                function: name.to_string(),
                offset: call.range().start().to_usize(),
                awaiting,
            });
        }
    }

    fn asks_what_can_be_awaited(&self) -> bool {
        let asks = || ASKING.iter().any(|name| self.code.contains(name));
        *self.asks_awaitable.get_or_init(asks)
    }

    /// Whether a name, or the name that an attribute is of, is never anything but what is imported.
    fn is_certain(&self, expr: &Expr) -> bool {
        let mut root = expr;
        while let Expr::Attribute(attribute) = root {
            root = &attribute.value;
        }
        let Expr::Name(name) = root else {
            return false;
        };
        self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
            binding.count == binding.import_count && !binding.deleted && !binding.shared
        })
    }
}

/// The call that an argument is, or that each item of `*[f(x) for x in xs]` is.
fn made_in(argument: &Expr) -> Option<&ExprCall> {
    match argument {
        Expr::Starred(starred) => match &*starred.value {
            Expr::ListComp(list) => list.elt.as_call_expr(),
            Expr::Generator(generator) => generator.elt.as_call_expr(),
            // What it gives is unpacked, and may be anything.
            _ => None,
        },
        other => other.as_call_expr(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CompiledNames, check};
    use super::*;

    fn awaited(code: &str) -> Option<(String, String, Awaiting)> {
        let functions = ["get_pet", "list_pets"].map(str::to_owned);
        let names = CompiledNames::from([("pets".to_owned(), functions.into())]);
        let report = check(code, &names);
        assert_eq!(report.violations, [], "{code}");
        let awaited = report.facts.awaited?;
        let call = code.get(awaited.offset..).unwrap();
        let (call, _) = call.split_once(')').unwrap();
        Some((awaited.function, format!("{call})"), awaited.awaiting))
    }

    #[test]
    fn what_is_certainly_a_compiled_function_is_noted_where_its_value_is_awaited() {
        let value = |call: &str| Some(("get_pet".to_owned(), call.to_owned(), Awaiting::Value));
        for (code, call) in [
            ("await get_pet(id=1)", "get_pet(id=1)"),
            (
                "async def main():\n    return (await get_pet(id=1))['x']",
                "get_pet(id=1)",
            ),
            (
                "import asyncio\nawait asyncio.gather(*[get_pet(id=i) for i in (1, 2)])",
                "get_pet(id=i)",
            ),
            (
                "from asyncio import gather\nawait gather(get_pet(id=1), get_pet(id=2))",
                "get_pet(id=1)",
            ),
            (
                "import pets.functions as p\nx = await p.get_pet(id=1)",
                "p.get_pet(id=1)",
            ),
        ] {
            let code = format!("from pets.functions import get_pet\n{code}\n");
            assert_eq!(awaited(&code), value(call), "{code}");
        }
        let code = "import pets.functions as p\nx = (it async for it in p.list_pets.pages())\n";
        let pages = awaited(code).map(|(_, call, awaiting)| (call, awaiting));
        let noted = ("p.list_pets.pages()".to_owned(), Awaiting::Pages("pages"));
        assert_eq!(pages, Some(noted));
        let code = "from pets.functions import list_pets as all\nasync for pet in all.items():\n    print(pet)\n";
        assert_eq!(
            awaited(code),
            Some((
                "list_pets".to_owned(),
                "all.items()".to_owned(),
                Awaiting::Pages("items")
            ))
        );
    }

    #[test]
    fn what_may_be_awaited_is_not_noted() {
        for code in [
            "await get_pet.aio(id=1)",
            "import asyncio\nawait asyncio.gather(*[get_pet.aio(id=i) for i in (1, 2)])",
            "get_pet(id=1)",
            "async for pet in get_pet.items.aio():\n    print(pet)",
            "async def other(id):\n    return id\nif get_pet:\n    get_pet = other\nawait get_pet(id=1)",
            "async def get_pets():\n    return get_pet(id=1)\nawait get_pets()",
            "x = [it async for it in get_pet(id=1)]",
            "async for event in get_pet(id=1):\n    print(event)",
            "import asyncio\nawait asyncio.gather(*get_pet(id=1))",
            "async def call(get_pet):\n    return await get_pet(id=1)",
            "import asyncio\nasync def five():\n    return 5\nawait asyncio.wait_for(five(), get_pet(id=1))",
            "from asyncio import gather\ndef gather(*a):\n    return a\ndef both():\n    return gather(get_pet(id=1))",
            "import asyncio\nx = await get_pet(id=1) if asyncio.iscoroutinefunction(get_pet) else get_pet(id=1)",
            "async def main():\n    try:\n        return await get_pet(id=1)\n    except TypeError:\n        return 1",
        ] {
            let code = format!("from pets.functions import get_pet\n{code}\n");
            assert_eq!(awaited(&code), None, "{code}");
        }
    }
}
