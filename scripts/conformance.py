"""Run the conformance suite and the Inspector, and write docs/conformance.md.

`scripts/conformance` sets up what this needs and calls it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "conformance.md"
REVISIONS = ("2025-11-25", "2026-07-28")
ERAS = {"2025-11-25": "legacy", "2026-07-28": "modern"}
# What `mce serve` passes without tools, prompts and resources made for the suite.
OWN = {
    "2025-11-25": {
        "dns-rebinding-protection",
        "ping",
        "server-initialize",
        "server-session-lifecycle",
        "server-sse-multiple-streams",
        "server-sse-polling",
        "tools-list",
    },
    "2026-07-28": {
        "dns-rebinding-protection",
        "http-header-validation",
        "input-required-result-ignore-extra-params",
        "input-required-result-missing-input-response",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "tools-list",
    },
}


@dataclass(frozen=True)
class Scenario:
    """What came of one."""

    name: str
    passed: int
    failed: int
    # Why it does not count, where it does not.
    unscored: str


@contextmanager
def serving(command: list[str], folder: Path) -> Iterator[str]:
    """A server that says on either stream where it listens; its URL."""
    environment = {
        **os.environ,
        "MCE_AUDIT_DB_PATH": str(folder / "audit.db"),
        "MCE_CACHE_DB_PATH": str(folder / "cache.db"),
    }
    log = folder / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL
        )
    try:
        while (found := re.search(r"listening on (http://\S+/mcp)", log.read_text())) is None:
            if server.poll() is not None:
                raise SystemExit(f"{command[0]} ended: {log.read_text()}")
            try:
                server.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
        yield found.group(1)
    finally:
        server.terminate()
        server.wait(60)


def judged(url: str, revision: str) -> list[Scenario]:
    """Every scenario of a revision, as the suite sums them up."""
    command = ["conformance", "server", "--url", url, "--requirements", revision]
    done = subprocess.run(command, capture_output=True, text=True, timeout=590, check=False)
    summary = done.stdout.split("=== SUMMARY ===")[-1]
    if "Total:" not in summary:
        raise SystemExit(f"the suite did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    unscored = dict(re.findall(r"^  [✓✗] (\S+) \(([^)]+)\)", summary, re.MULTILINE))
    found = re.findall(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", summary, re.MULTILINE)
    return [Scenario(name, int(p), int(f), unscored.get(name, "")) for name, p, f in found]


def inspected(arguments: list[str], era: str) -> str:
    """The Inspector's findings about the tools' schemas; empty where there are none."""
    command = ["mcp-inspector", "--cli", *arguments, "--protocol-era", era]
    command += ["--method", "tools/list", "--strict"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr[-500:]}"
    # With `--strict` it says what it is about, where and why.
    problems = re.findall(r"^(?:Warning|Error): (.*\n.*Path: .*)$", done.stderr, re.MULTILINE)
    return "; ".join(" ".join(problem.split()) for problem in problems)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", required=True, type=Path)
    parser.add_argument("--print", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    mce = str(arguments.target / "mce")
    fixtures = str(arguments.target / "examples" / "mce-conformance-server")
    own: dict[str, list[Scenario]] = {}
    other: dict[str, list[Scenario]] = {}
    findings: list[tuple[str, str, str]] = []
    serve = [mce, "serve", "--transport", "http", "--port", "0"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(serve, folder) as url:
            for revision in REVISIONS:
                own[revision] = judged(url, revision)
                findings.append(("http", revision, inspected([url], ERAS[revision])))
        for revision in REVISIONS:
            era = ERAS[revision]
            environment = ["-e", f"MCE_AUDIT_DB_PATH={folder}/a.db", "-e", f"MCE_CACHE_DB_PATH={folder}/c.db"]
            findings.append(("stdio", revision, inspected([mce, "serve", *environment], era)))
        with serving([fixtures, "0"], folder) as url:
            for revision in REVISIONS:
                other[revision] = judged(url, revision)

    missed = [f"Inspector, {kind}, {revision}: {what}" for kind, revision, what in findings if what]
    for revision in REVISIONS:
        for scenario in own[revision]:
            if scenario.failed and scenario.name in OWN[revision]:
                missed.append(f"mce serve, {revision}: {scenario.name}")
        for scenario in other[revision]:
            if scenario.failed and not scenario.unscored:
                missed.append(f"mce-conformance-server, {revision}: {scenario.name}")
    text = page(own, other, findings)
    if arguments.print:
        print(text)
    else:
        PAGE.write_text(text)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


def page(
    own: dict[str, list[Scenario]],
    other: dict[str, list[Scenario]],
    findings: list[tuple[str, str, str]],
) -> str:
    lines = [
        "# Conformance",
        "",
        "Written by `scripts/conformance`, which runs the conformance suite of MCP",
        "(`@modelcontextprotocol/conformance` 0.2.0-alpha.12, `--requirements` of each revision) and the MCP",
        "Inspector (2.12.0, `--strict`).",
        "",
        "Most scenarios ask for tools, prompts and resources that were made for the suite. `mce serve` does",
        "not have those: `mce-conformance-server` has them, on the same HTTP transport. Of the other",
        "capabilities, `mce serve` has neither completions nor logging, which protocol 2026-07-28 drops.",
        "",
    ]
    for revision in REVISIONS:
        beside = {scenario.name: scenario for scenario in other[revision]}
        scored = [scenario for scenario in other[revision] if not scenario.unscored]
        right = sum(not scenario.failed for scenario in scored)
        lines += [
            f"## {revision}",
            "",
            f"`mce-conformance-server` passes {right} of the {len(scored)} scenarios that count.",
            "",
            "| scenario | `mce serve` | `mce-conformance-server` |",
            "| --- | --- | --- |",
        ]
        for scenario in own[revision]:
            name = scenario.name + (f" ({scenario.unscored}, not scored)" if scenario.unscored else "")
            lines.append(f"| {name} | {of_own(scenario, revision)} | {verdict(beside[scenario.name])} |")
        lines.append("")
    lines += ["## Inspector", "", "| transport | revision | findings |", "| --- | --- | --- |"]
    for kind, revision, what in findings:
        lines.append(f"| {kind} | {revision} | {what or 'none'} |")
    return "\n".join(lines) + "\n"


def verdict(scenario: Scenario) -> str:
    return f"{scenario.failed} failed" if scenario.failed else "passed"


def of_own(scenario: Scenario, revision: str) -> str:
    if scenario.failed and scenario.name not in OWN[revision]:
        return "needs fixtures"
    return verdict(scenario)


if __name__ == "__main__":
    sys.exit(main())
