"""Whether what was compiled is data and stubs and nothing else, judged without the compiler's own code."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import unicodedata
import warnings
from typing import Any

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
FUNCTION = re.compile(r"[a-z_][a-z0-9_]*")
CLASS = re.compile(r"[A-Z][A-Za-z0-9]*")
IMPORTS = {
    "__future__": {"annotations"},
    "typing": {"Any", "Literal", "NotRequired", "Required", "TypedDict"},
    "mce_runtime": {"Api", "ApiError", "NULL"},
}
ANNOTATIONS = {"Any", "Literal", "NotRequired", "Required", "bool", "bytes", "dict", "float", "int", "list", "str", "tuple"}
PEP_263 = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
COMMENT = '# mypy: disable-error-code="empty-body"'


def module_faults(source: bytes) -> list[str]:
    """What is wrong with the bytes of a functions.py."""
    try:
        text = source.decode("utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compile(text, "functions.py", "exec", dont_inherit=True)
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, Warning) as error:
        return [f"it is no valid Python: {error}"]
    faults = hidden_characters(text)
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    if encoding != "utf-8" or any(PEP_263.match(line) for line in text.split("\n")[:2]):
        faults.append(f"its first lines name an encoding ({encoding})")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.string != COMMENT:
            faults.append(f"line {token.start[0]} holds a comment")
        if token.type == tokenize.NAME and not IDENTIFIER.fullmatch(token.string):
            faults.append(f"line {token.start[0]} holds a name that is not ASCII")
    return faults + Grammar().module(tree)


def hidden_characters(text: str) -> list[str]:
    """Characters that no reader of the file sees."""

    def is_hidden(character: str) -> bool:
        point = ord(character)
        return (
            unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")
            and character != "\n"
            or 0xFE00 <= point <= 0xFE0F
            or 0xE0000 <= point <= 0xE0FFF
        )

    found = sorted({f"U+{ord(character):04X}" for character in text if is_hidden(character)})
    return [f"it holds {found} raw"] if found else []


class Grammar:
    """The closed grammar of compiled modules."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.names: set[str] = set()

    def module(self, tree: ast.Module) -> list[str]:
        self.names = {node.name for node in tree.body if isinstance(node, ast.ClassDef)} | {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for index, statement in enumerate(tree.body):
            match statement:
                case ast.Expr(value=ast.Constant(value=str())) if index == 0:
                    pass
                case ast.ImportFrom(module=str(name), level=0):
                    for alias in statement.names:
                        if alias.name not in IMPORTS.get(name, ()) or alias.asname not in (None, alias.name):
                            self.fault(statement, "an import that is not of the closed grammar")
                case ast.Assign(targets=[ast.Name(id="_api")], value=ast.Call(func=ast.Name(id="Api")) as call):
                    self.literal_call(call)
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="TypedDict"), args=[head, ast.Dict() as keys]) as call
                ):
                    self.class_name(statement, name)
                    if not isinstance(head, ast.Constant) or head.value != name:
                        self.fault(statement, "a TypedDict of another name")
                    for key, value in zip(keys.keys, keys.values, strict=True):
                        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                            self.fault(statement, "a key that is no string")
                        self.annotation(value)
                    for keyword in call.keywords:
                        self.literal(keyword.value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.class_name(statement, name)
                    self.annotation(value)
                case ast.ClassDef():
                    self.typed_dict(statement)
                case ast.FunctionDef():
                    self.stub(statement)
                case _:
                    self.fault(statement, "a statement that is not of the closed grammar")
        return self.faults

    def fault(self, node: ast.AST, message: str) -> None:
        self.faults.append(f"line {getattr(node, 'lineno', '?')}: {message}")

    def class_name(self, node: ast.AST, name: str) -> None:
        if not CLASS.fullmatch(name):
            self.fault(node, f"`{name}` is no name of a type")

    def typed_dict(self, node: ast.ClassDef) -> None:
        self.class_name(node, node.name)
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        if bases != ["TypedDict"] or len(node.bases) != 1 or node.decorator_list or getattr(node, "type_params", None):
            self.fault(node, "a class that is no TypedDict")
        for keyword in node.keywords:
            if keyword.arg != "total" or not isinstance(keyword.value, ast.Constant):
                self.fault(node, "a keyword of a class")
        for statement in node.body:
            match statement:
                case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=None, simple=1):
                    if name.startswith("__"):
                        self.fault(statement, f"the key `{name}` would be mangled")
                    self.annotation(statement.annotation)
                case _:
                    self.fault(statement, "a member of a TypedDict that is no key")

    def stub(self, node: ast.FunctionDef) -> None:
        if not FUNCTION.fullmatch(node.name) or set(node.name) == {"_"} or node.name.startswith("__"):
            self.fault(node, f"`{node.name}` is no name of a function")
        match node.decorator_list:
            case [ast.Call(func=ast.Attribute(value=ast.Name(id="_api"), attr="operation")) as call]:
                self.literal_call(call)
            case _:
                self.fault(node, "a function without the one decorator")
        arguments = node.args
        if arguments.posonlyargs or arguments.args or arguments.vararg or arguments.kwarg:
            self.fault(node, "parameters that are not keywords")
        for parameter in arguments.kwonlyargs:
            if not FUNCTION.fullmatch(parameter.arg) or parameter.annotation is None:
                self.fault(node, f"the parameter `{parameter.arg}`")
            else:
                self.annotation(parameter.annotation)
        for default in arguments.kw_defaults:
            if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
                self.fault(node, "a default that is not None")
        if node.returns is None or getattr(node, "type_params", None):
            self.fault(node, "a stub without a type")
        else:
            self.annotation(node.returns)
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str())), ast.Expr(value=ast.Constant(value=value))] if value is ...:
                pass
            case _:
                self.fault(node, "a body that does something")

    def annotation(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=None):
                pass
            case ast.Constant(value=str(text)):
                # In the functional form of TypedDict types are spelt as text.
                try:
                    self.annotation(ast.parse(text, mode="eval").body)
                except SyntaxError:
                    self.fault(node, "an annotation that is no expression")
            case ast.Name(id=name) if name in ANNOTATIONS or name in self.names:
                pass
            case ast.BinOp(op=ast.BitOr()):
                # Chains of `|` are as long as the document's lists.
                pending: list[ast.expr] = [node]
                while pending:
                    part = pending.pop()
                    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
                        pending += [part.left, part.right]
                    else:
                        self.annotation(part)
            case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
                for value in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
                    self.literal(value)
            case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in ANNOTATIONS:
                for part in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
                    self.annotation(part)
            case ast.Constant(value=value) if value is ...:
                pass
            case _:
                self.fault(node, "an annotation that is not of the closed grammar")

    def literal_call(self, node: ast.Call) -> None:
        for value in node.args:
            self.literal(value)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.fault(node, "an unpacked argument")
            self.literal(keyword.value)

    def literal(self, node: ast.expr) -> None:
        match node:
            case ast.Constant():
                pass
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
                pass
            case ast.Tuple(elts=items) | ast.List(elts=items):
                for item in items:
                    self.literal(item)
            case ast.Dict(keys=keys, values=values):
                for part in (*keys, *values):
                    if part is None:
                        self.fault(node, "an unpacked mapping")
                    else:
                        self.literal(part)
            case _:
                self.fault(node, "something that is no literal")


def strict_json(text: str) -> Any:
    """A JSON value; duplicate keys and NaN are errors."""

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a duplicate key")
        return dict(pairs)

    def constant(spelt: str) -> object:
        raise ValueError(f"`{spelt}` is no JSON")

    def integer(spelt: str) -> object:
        return int(spelt) if len(spelt) < 4_000 else spelt

    return json.loads(text, object_pairs_hook=members, parse_constant=constant, parse_int=integer)
