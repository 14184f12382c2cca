"""What `scripts/coverage` finds out of one document, and what is wrong with it."""

from __future__ import annotations

import csv
import fnmatch
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Document:
    """One row of the index, and what was found out about it."""

    server: str
    path: str
    expect: str
    operations: int
    # How many operations must be right, where not all can be.
    at_least: int | None = None
    error: str | None = None
    functions: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unlisted: int = 0
    judged: int = 0
    right: int = 0
    right_on_the_wire: int = 0
    not_judged: int = 0
    requests: int = 0
    unavailable: int = 0
    undefined: int = 0
    no_second_opinion: int = 0
    mypy_errors: int = 0
    leaks: int = 0
    seconds: float = 0.0
    # Operations that are references, and how many are right where these are not followed.
    references: int = 0
    right_as_it_is: int | None = None

    @property
    def unsupported(self) -> int:
        return sum(count for reason, count in self.skipped.items() if reason.startswith("unsupported: "))

    @property
    def share_right(self) -> float:
        return self.right / self.judged if self.judged else 1.0


@dataclass(frozen=True)
class Failure:
    """Something that is wrong with one operation (or module), and what kind of thing it is."""

    server: str
    check: str
    place: str
    reason: str

    @property
    def kind(self) -> str:
        return f"{self.check}: {kind_of(self.reason)}"


class Unmeasurable(Exception):
    """A tool that is needed did not do its work."""


def read_index(path: Path, only: list[str], at_least: dict[str, int]) -> list[Document]:
    """Those that a glob of `only` or `at_least` chooses; all where there is neither."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    globs = [*only, *at_least]
    servers = [row["server"] for row in rows]
    for glob in globs:
        if not fnmatch.filter(servers, glob):
            raise Unmeasurable(f"no document of the index is `{glob}`")
    return [
        Document(
            row["server"], row["path"], row["expect"], int(row["operations"] or 0), at_least.get(row["server"])
        )
        for row in rows
        if not globs or any(fnmatch.fnmatchcase(row["server"], glob) for glob in globs)
    ]


def write_failures(path: Path, failures: list[Failure]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["server", "check", "place", "kind", "reason"])
        for failure in failures:
            writer.writerow([failure.server, failure.check, failure.place, failure.kind, failure.reason])


def kind_of(reason: str) -> str:
    """A reason without what is of one operation only: values, names, numbers, the case's label."""
    # The referee's cases have labels such as `all, without credentials: `.
    kind = re.sub(r"^(required only|everything|all|awkward|case \d+)\b[^:]{0,60}: ", "", reason)
    kind = re.sub(r"file://\S+", "`…`", kind)
    kind = re.sub(r"`[^`]*`", "`…`", kind)
    kind = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "'…'", kind)
    kind = re.sub(r"[\[{(].*[\]})]", "(…)", kind, flags=re.DOTALL)
    kind = re.sub(r"\d+", "N", kind)
    kind = re.sub(r"\s+", " ", kind)
    return kind[:110].strip()
