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
# What `mce serve` lacks for a scenario: something that was made for the suite. It must pass all others.
TASKS = "the extension of tasks"
NEEDS = {
    "2025-11-25": {
        "tools-call-simple-text": "the tool `test_simple_text`",
        "tools-call-image": "the tool `test_image_content`",
        "tools-call-audio": "the tool `test_audio_content`",
        "tools-call-embedded-resource": "the tool `test_embedded_resource`",
        "tools-call-mixed-content": "the tool `test_multiple_content_types`",
        "tools-call-with-logging": "the tool `test_tool_with_logging`",
        "tools-call-error": "the tool `test_error_handling`",
        "tools-call-with-progress": "the tool `test_tool_with_progress`",
        "tools-call-sampling": "the tool `test_sampling`",
        "tools-call-elicitation": "the tool `test_elicitation`",
        "elicitation-sep1034-defaults": "the tool `test_elicitation_sep1034_defaults`",
        "elicitation-sep1330-enums": "the tool `test_elicitation_sep1330_enums`",
        "resources-read-text": "the resource `test://static-text`",
        "resources-read-binary": "the resource `test://static-binary`",
        "resources-templates-read": "the template `test://template/{id}/data`",
        "resources-subscribe": "the resource `test://watched-resource`",
        "resources-unsubscribe": "the resource `test://watched-resource`",
        "prompts-get-simple": "the prompt `test_simple_prompt`",
        "prompts-get-with-args": "the prompt `test_prompt_with_arguments`",
        "prompts-get-embedded-resource": "the prompt `test_prompt_with_embedded_resource`",
        "prompts-get-with-image": "the prompt `test_prompt_with_image`",
        "json-schema-2020-12": "the tool `json_schema_2020_12_tool`",
    },
    "2026-07-28": {
        "server-stateless": "the tools `test_missing_capability`, `test_streaming_elicitation`, `test_logging_tool`",
        "tools-call-simple-text": "the tool `test_simple_text`",
        "tools-call-image": "the tool `test_image_content`",
        "tools-call-audio": "the tool `test_audio_content`",
        "tools-call-embedded-resource": "the tool `test_embedded_resource`",
        "tools-call-mixed-content": "the tool `test_multiple_content_types`",
        "tools-call-error": "the tool `test_error_handling`",
        "tools-call-with-progress": "the tool `test_tool_with_progress`",
        "resources-read-text": "the resource `test://static-text`",
        "resources-read-binary": "the resource `test://static-binary`",
        "resources-templates-read": "the template `test://template/{id}/data`",
        "prompts-get-simple": "the prompt `test_simple_prompt`",
        "prompts-get-with-args": "the prompt `test_prompt_with_arguments`",
        "prompts-get-embedded-resource": "the prompt `test_prompt_with_embedded_resource`",
        "prompts-get-with-image": "the prompt `test_prompt_with_image`",
        "input-required-result-basic-elicitation": "the tool `test_input_required_result_elicitation`",
        "input-required-result-basic-sampling": "the tool `test_input_required_result_sampling`",
        "input-required-result-basic-list-roots": "the tool `test_input_required_result_list_roots`",
        "input-required-result-request-state": "the tool `test_input_required_result_request_state`",
        "input-required-result-multiple-input-requests": "the tool `test_input_required_result_multiple_inputs`",
        "input-required-result-multi-round": "the tool `test_input_required_result_multi_round`",
        "input-required-result-non-tool-request": "the prompt `test_input_required_result_prompt`",
        "input-required-result-result-type": "the tool `test_input_required_result_elicitation`",
        "input-required-result-tampered-state": "the tool `test_input_required_result_tampered_state`",
        "input-required-result-capability-check": "the tool `test_input_required_result_capabilities`",
        "tasks-lifecycle": TASKS,
        "tasks-capability-negotiation": TASKS,
        "tasks-wire-fields": TASKS,
        "tasks-request-state-removal": TASKS,
        "tasks-mrtr-input": TASKS,
        "tasks-request-headers": TASKS,
        "tasks-dispatch-and-envelope": TASKS,
        "tasks-status-notifications": TASKS,
        "tasks-required-task-error": TASKS,
        "tasks-mrtr-composition": TASKS,
        "json-schema-2020-12": "the tool `json_schema_2020_12_tool`",
        "http-custom-header-server-validation": "a tool with a parameter of `x-mcp-header`",
    },
}
# Of scenarios of many checks, those that need it; of the others all may fail.
FAILING = {("2026-07-28", "server-stateless"): 4}


@dataclass(frozen=True)
class Scenario:
    """What came of one."""

    name: str
    passed: int
    failed: int
    # Why it does not count, where it does not.
    unscored: str

    @property
    def is_right(self) -> bool:
        """Something was checked, and all of that holds."""
        return self.passed > 0 and not self.failed


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
        missed += [f"mce serve, {revision}: {what}" for what in missed_of_own(own[revision], revision)]
        for scenario in other[revision]:
            if not scenario.is_right and not scenario.unscored:
                missed.append(f"mce-conformance-server, {revision}: {scenario.name}")
    text = page(own, other, findings)
    if arguments.print:
        print(text)
    else:
        PAGE.write_text(text)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


def missed_of_own(scenarios: list[Scenario], revision: str) -> list[str]:
    """What does not hold of `mce serve`: all passes but what needs what was made for the suite."""
    missed = []
    needs = NEEDS[revision]
    for scenario in scenarios:
        if scenario.name not in needs:
            if not scenario.is_right:
                missed.append(f"{scenario.name}: {scenario.passed} passed, {scenario.failed} failed")
        elif scenario.is_right:
            missed.append(f"{scenario.name} passes without {needs[scenario.name]}: take it out of NEEDS")
        elif scenario.failed > (most := FAILING.get((revision, scenario.name), scenario.failed)):
            missed.append(f"{scenario.name}: {scenario.failed} checks failed, of which {most} need fixtures")
    reported = {scenario.name for scenario in scenarios}
    return missed + [f"{name} is not reported any more" for name in sorted(needs.keys() - reported)]


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
        "not have those, and the table says which: `mce-conformance-server` has them, on the same HTTP",
        "transport. Every other scenario must pass.",
        "",
    ]
    for revision in REVISIONS:
        beside = {scenario.name: scenario for scenario in other[revision]}
        scored = [scenario for scenario in other[revision] if not scenario.unscored]
        right = sum(scenario.is_right for scenario in scored)
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
    if scenario.failed:
        return f"{scenario.failed} failed"
    return "passed" if scenario.passed else "nothing was checked"


def of_own(scenario: Scenario, revision: str) -> str:
    if not scenario.is_right and (needed := NEEDS[revision].get(scenario.name)):
        return f"needs {needed}"
    return verdict(scenario)


if __name__ == "__main__":
    sys.exit(main())
