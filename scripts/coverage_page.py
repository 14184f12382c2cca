"""What `scripts/coverage` promises, and the page of what it found."""

from __future__ import annotations

from coverage_found import Failure
from coverage_measurement import Measurement

Limit = tuple[str, str, str, bool]


def judge_limits(measured: Measurement) -> list[Limit]:
    """What was promised, what was found, and whether it holds."""
    ok = measured.expected_ok()
    done = measured.succeeded()
    operations = sum(document.operations for document in ok)
    functions = sum(document.functions for document in done)
    unsupported = sum(document.unsupported for document in done)
    whole = [document for document in done if document.at_least is None]
    judged = sum(document.judged for document in whole)
    right = sum(document.right for document in whole)
    below = [document for document in whole if document.share_right < 0.9]
    unlisted = sum(document.unlisted for document in done)
    unavailable = sum(document.not_judged for document in done)
    sets = sum(document.unavailable for document in done)
    undefined = sum(document.undefined for document in done)
    requests = sum(document.requests for document in done)
    out = (unavailable + sets + undefined) / max(functions + requests, 1)
    mypy = sum(document.mypy_errors for document in done)
    leaks = sum(document.leaks for document in done)
    rows: list[Limit] = [
        ("documents that should compile", "all", f"{len(done)} of {len(ok)}", len(done) == len(ok)),
        (
            "documents that should not", "an error, no output",
            "; ".join(measured.unexpected) or "all", not measured.unexpected,
        ),
        (
            "operations with a function", "≥ 99.5 %", f"{functions} of {operations} ({percent(functions, operations)})",
            functions >= 0.995 * operations,
        ),
        (
            "skipped as unsupported", "≤ 0.5 %", f"{unsupported} ({percent(unsupported, operations)})",
            unsupported <= 0.005 * operations,
        ),
        ("operations in neither list, or in both", "0", str(unlisted), unlisted == 0),
        (
            "operations right", "≥ 99 %", f"{right} of {judged} ({percent(right, judged)})",
            right >= 0.99 * judged and (judged > 0 or not whole),
        ),
        *(
            (f"operations of {document.server} right", f"≥ {wanted}", str(document.right), document.right >= wanted)
            for document in ok
            if (wanted := document.at_least) is not None
        ),
        ("documents with fewer than 90 % right", "0", str(len(below)), not below),
        (
            "not judged (unavailable and undefined)", "≤ 5 %",
            f"{unavailable} operations, {sets} argument sets, {undefined} values ({100 * out:.2f} %)", out <= 0.05,
        ),
        ("calls that change something in read-only clients", "0", str(leaks), leaks == 0),
        ("mypy errors (`--strict`)", "0", str(mypy), mypy == 0),
    ]  # fmt: skip
    for version, (good, of) in measured.python.items():
        rows.append((f"modules imported on Python {version}", "all", f"{good} of {of}", good == of))
    return rows


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "–"


def by_kind(failures: list[Failure]) -> list[tuple[str, int, int, Failure]]:
    """Kind, operations, documents, and the first example; the most frequent first."""
    groups: dict[str, list[Failure]] = {}
    for failure in failures:
        groups.setdefault(failure.kind, []).append(failure)
    rows = [
        (kind, len({(it.server, it.place) for it in group}), len({it.server for it in group}), group[0])
        for kind, group in groups.items()
    ]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def cell(text: str) -> str:
    """Text in a table; no markup of a document is followed."""
    shown = text.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")
    return shown if len(shown) <= 160 else shown[:159] + "…"


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    return lines + ["| " + " | ".join(cell(item) for item in row) + " |" for row in rows]


def page(measured: Measurement, limits: list[Limit]) -> str:
    done = measured.succeeded()
    lines = [
        "# Coverage",
        "",
        "Written by `scripts/coverage`: every document of a collection of real APIs compiled, imported, checked for",
        "types, and every function called by a referee that reads the documents itself and compares what arrives",
        "with what was asked for. Nothing here was made by hand.",
        "",
        "## Limits",
        "",
        *table(
            ["what", "wanted", "found", ""],
            [[name, wanted, found, "ok" if holds else "**short**"] for name, wanted, found, holds in limits],
        ),
        "",
        "*Not judged* counts operations the referee cannot read, argument sets it cannot invent, and values whose",
        "encoding OpenAPI leaves undefined, as a share of operations and requests. The referee also asks",
        "openapi-core for a second opinion; it had none on "
        f"{sum(document.no_second_opinion for document in done)} of "
        f"{sum(document.requests for document in done)} requests, which the referee alone judged.",
        "",
        *references_note(measured),
        "## Operations skipped",
        "",
        *skipped_table(measured),
        "",
        "## What failed, by kind",
        "",
        *failure_table([failure for failure in measured.failures if failure.check != "skipped"]),
        "",
        "## What was not judged, by kind",
        "",
        *failure_table([failure for failure in measured.unavailable if failure.check != "openapi-core"]),
        "",
        "## Documents",
        "",
        *document_table(measured),
    ]
    return "\n".join(lines) + "\n"


def references_note(measured: Measurement) -> list[str]:
    """What the referee was given in place of documents that it reads in part only."""
    lines = []
    for document in measured.succeeded():
        if document.references:
            lines += [
                f"Of `{document.server}`, {document.references} operations are references (`get: {{$ref: …}}`), which OpenAPI does",
                "not provide for and the referee reads as operations without parameters and body. It was given a copy",
                f"with them written out; as the document is, it calls {document.right_as_it_is} of {document.functions} operations right.",
                "",
            ]
    return lines


def skipped_table(measured: Measurement) -> list[str]:
    rows = by_kind([failure for failure in measured.failures if failure.check == "skipped"])
    if not rows:
        return ["None."]
    return table(
        ["reason", "operations", "documents", "for example"],
        [
            [kind.removeprefix("skipped: "), str(count), str(documents), f"{example.server}: {example.place}"]
            for kind, count, documents, example in rows
        ],
    )


def failure_table(failures: list[Failure], limit: int = 60) -> list[str]:
    rows = by_kind(failures)
    if not rows:
        return ["Nothing."]
    lines = table(
        ["kind", "operations", "documents", "for example"],
        [
            [kind, str(count), str(documents), f"{example.server}: {example.place}"]
            for kind, count, documents, example in rows[:limit]
        ],
    )
    if len(rows) > limit:
        lines += ["", f"And {len(rows) - limit} rarer kinds."]
    return lines


def document_table(measured: Measurement) -> list[str]:
    heads = [
        "document", "operations", "functions", "unsupported", "right", "", "not judged", "undefined", "mypy", "leaks",
    ]  # fmt: skip
    rows = []
    for document in measured.documents:
        if document.error is not None:
            rows.append([document.server, str(document.operations), f"error: {document.error}", *[""] * 7])
            continue
        rows.append(
            [
                document.server,
                str(document.operations),
                str(document.functions),
                str(document.unsupported),
                f"{document.right}/{document.judged}",
                percent(document.right, document.judged),
                str(document.not_judged),
                str(document.undefined),
                str(document.mypy_errors),
                str(document.leaks),
            ]
        )
    return table(heads, rows)
