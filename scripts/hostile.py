"""Run every row of a set of hostile inputs against `mce compile`; see `scripts/hostile`."""

from __future__ import annotations

import argparse
import csv
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

import hostile_operations
from hostile_inert import hidden_characters, module_faults, strict_json

Manifest = dict[str, Any]

HERE = Path(__file__).resolve().parent
CANARY = "canary-5f1e7c90"
VARIABLES = {
    "MCE_HOSTILE_CANARY": CANARY,
    "MCE_HOSTILE_INDIRECT": "${MCE_HOSTILE_CANARY}",
    "MCE_HOSTILE_INDIRECT_NAME": "MCE_HOSTILE_CANARY",
    "MCE_HOSTILE_FILE": "good.yaml",
    "MCE_HOSTILE_FALSE": "false",
    "MCE_HOSTILE_KEY": "is_read_only",
}
# What no file, message or request may ever hold.
FORBIDDEN = re.compile(
    rf"{CANARY}|CANARY_OUTSIDE|CANARY_LITERAL|CANARY_SECRET_IN_DOCUMENT|root:x?:|\b1337\b|^PWNED$",
    re.MULTILINE,
)
EVIL = re.compile(r"https?://[\w.]*evil\.example")
HARMLESS = "servers:\n  - name: hostile\n    swagger_url: ./good.yaml\n"
HEADERS = '    swagger_headers: {X-Hostile: "${MCE_HOSTILE_FALSE}"}\n'
PORT = 8099
# What time limits are multiplied by.
patience = 1.0


@dataclass
class Run:
    """What one run of `mce compile` did."""

    status: int
    stdout: str
    stderr: str
    seconds: float
    megabytes: float
    outputs: dict[str, bytes]
    strays: list[str]
    connections: list[str]
    stdin_was_read: bool


@dataclass
class Case:
    """A row, where it was run, and what came of it."""

    row: dict[str, str]
    faults: list[str] = field(default_factory=list)
    outcome: str = ""
    stderr: str = ""
    # The compiled folder, kept for the probe.
    compiled: Path | None = None

    @property
    def is_config(self) -> bool:
        return self.row["kind"] == "config"

    @property
    def accepted(self) -> set[str]:
        return {self.row["expect"], *re.findall(r"\w+", self.row["also"] or "")}


def main() -> int:
    """Run and judge every row; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/hostile")
    parser.add_argument("--mce", type=Path, required=True)
    parser.add_argument("--hostile", type=Path, required=True)
    parser.add_argument("--only", default="", help="run the rows whose file holds this text")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument(
        "--patience", type=float, default=1, help="what the rows' time limits are multiplied by: an unoptimised build, a busy machine"
    )
    arguments = parser.parse_args()
    global patience
    patience = arguments.patience
    mce, hostile = arguments.mce.resolve(), arguments.hostile.resolve()
    with (hostile / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = list(csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE))
    cases = [Case(row) for row in rows if arguments.only in row["file"]]
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        kept = Path(name)
        with ThreadPoolExecutor(arguments.parallel) as pool:
            list(pool.map(lambda item: work_on(item[1], mce, hostile, kept / str(item[0])), enumerate(cases)))
        for mode in ("inside", "outside"):
            probe(cases, kept / f"probe-{mode}", mode)
    failed = 0
    for case in cases:
        failed += bool(case.faults)
        print(f"{'FAIL' if case.faults else 'ok  '} {case.row['file']} ({case.outcome})")
        if case.faults:
            for fault in case.faults:
                print(f"       {fault[:300]}")
            print(f"       check: {case.row['check']}")
            print("       stderr: " + case.stderr.strip().replace("\n", "\n               ")[:1000])
    print(f"hostile inputs: {len(cases)} rows, {len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


def work_on(case: Case, mce: Path, hostile: Path, base: Path) -> None:
    """Run and judge one row."""
    begun = time.monotonic()
    try:
        execute(case, mce, hostile, base)
    except Exception as error:  # noqa: BLE001  (one row must not cost the others)
        case.faults.append(f"the harness failed: {error!r}")
    if os.environ.get("HOSTILE_PROGRESS"):
        print(f"{time.monotonic() - begun:6.1f} s  {case.row['file']} {case.outcome} {case.faults}", file=sys.stderr, flush=True)


def execute(case: Case, mce: Path, hostile: Path, base: Path) -> None:
    """Compile what a row asks for, as often as it takes to judge it."""
    # Deep enough that `../..` of a config is still inside what is watched.
    work = base / "outer" / "inner" / "config"
    input_file = prepare(case, hostile, work)
    document = input_file
    arguments: list[str] = []
    served = "-"
    if case.is_config:
        if input_file.suffix == ".env":
            arguments = ["--env-file", input_file.name]
            config = input_file.with_name("harmless.yaml")
            config.write_text(HARMLESS, encoding="utf-8")
        else:
            config = input_file
            if (companion := config.with_suffix(".part.env")).exists():
                arguments = ["--env-file", companion.name]
        document = next(config.parent.glob("good.*"))
    else:
        config = input_file.with_name("config-of-hostile.yaml")
        source, more = f"./{input_file.name}", ""
        if input_file.name.startswith("remote_"):
            served, source, more = str(config.parent), f"http://127.0.0.1:{PORT}/{input_file.name}", HEADERS
        if case.row["kind"] == "read_only" or "is_read_only" in case.row["check"]:
            more += "    is_read_only: true\n"
        config.write_text(f"servers:\n  - name: hostile\n    swagger_url: {source}\n{more}", encoding="utf-8")

    def compile_to(output: str, *more: str) -> Run:
        return run(case, mce, base, config, output, [*arguments, *more], served)

    before = None
    companion = input_file.with_name(f"{input_file.stem}.before{input_file.suffix}")
    if companion.exists():
        # The row is what a later version of this document does to what it left.
        moved = input_file.read_bytes()
        shutil.copyfile(companion, input_file)
        before = compile_to("compiled")
        if before.status != 0:
            case.faults.append(f"the version before it does not compile: {before.stderr[-200:]}")
        input_file.write_bytes(moved)
    first = compile_to("compiled")
    case.stderr = first.stderr
    case.faults += always(case.row, first)
    case.outcome, manifests = outcome_of(case, first)
    if not case.accepted & set(case.outcome.split(" or ")):
        case.faults.append(f"{case.outcome}, where {' or '.join(sorted(case.accepted))} is right")
    elif case.outcome == "error":
        case.faults += judge_error(case.row, config, first, before)
        if before is not None and (accepted := compile_to("accepted", "--accept-origin")).status != 0:
            case.faults.append(f"not even `--accept-origin` lets it compile: {accepted.stderr[-200:]}")
    else:
        case.faults += judge_inert(case, document, first, manifests)
        # A config of very many servers has compiled one document often enough.
        is_long = case.is_config and first.seconds > 5 * patience
        if not is_long and compile_to("again").outputs != first.outputs:
            case.faults.append("compiling it twice gives different bytes")
        if case.row["kind"] == "names" and compile_to("compiled").outputs != first.outputs:
            case.faults.append("compiling it with the committed manifest gives different bytes")
        case.compiled = config.parent / "compiled"


def prepare(case: Case, hostile: Path, work: Path) -> Path:
    """Put a row's files into `work`; returns its config, env file or document."""
    file = Path(case.row["file"])
    if file.parts[0] != "made":
        shutil.copytree(hostile / file.parent, work, symlinks=True)
        return work / file.name
    work.mkdir(parents=True)
    command = [sys.executable, str(hostile / "make_big.py"), str(work), "--only", file.name]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    made = work / file.name
    if not made.is_dir():
        return made
    if case.is_config:
        return made / "swaggers.yaml"
    return next(path for path in sorted(made.rglob("api.*")) if not path.is_symlink())


def run(
    case: Case, mce: Path, base: Path, config: Path, output: str, arguments: list[str], served: str
) -> Run:
    """Run `mce compile` where the network ends in this process's hands, if this user may."""
    before = tree(base)
    command = [str(mce), "compile", "--config", config.name, "--output", output, *arguments]
    result = base / "result"
    confined = [sys.executable, str(HERE / "hostile_confined.py"), str(result)]
    confined += [str(2 * seconds_allowed(case.row)), served, "--"]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(base),
        "CANARY_FILE": str(base / "canary"),
        **VARIABLES,
    }
    # A pipe that stays open: whoever waits for its end hangs, whoever reads from it is found out.
    reading, writing = os.pipe()
    os.write(writing, b"{}\n")
    with (base / "stdout").open("wb") as stdout, (base / "stderr").open("wb") as stderr:
        subprocess.run(
            [*without_network(), *confined, *command],
            cwd=config.parent, env=environment, stdin=reading, stdout=stdout, stderr=stderr, check=True,
        )
    os.set_blocking(reading, False)
    try:
        was_read = os.read(reading, 3) != b"{}\n"
    except BlockingIOError:
        was_read = True
    os.close(reading)
    os.close(writing)
    told = json.loads(result.read_text(encoding="utf-8"))
    compiled = config.parent / output
    inside = str(compiled.relative_to(base))
    after = tree(base)
    own = ("stdout", "stderr", "result", inside)
    strays = sorted(
        entry
        for entry in before.keys() | after.keys()
        if before.get(entry) != after.get(entry) and entry not in own and not entry.startswith(inside + "/")
    )
    texts = {name: (base / name).read_bytes().decode("utf-8", "backslashreplace") for name in ("stdout", "stderr")}
    outputs = {
        str(file.relative_to(compiled)): file.read_bytes()
        for file in sorted(compiled.rglob("*"))
        if file.is_file()
    }
    return Run(
        told["status"], texts["stdout"], texts["stderr"], told["seconds"], told["megabytes"], outputs, strays,
        told["connections"], was_read,
    )


@functools.cache
def without_network() -> list[str]:
    """The command that takes the network away."""
    for prefix in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        if shutil.which("unshare") and not subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
            return prefix
    sys.exit("scripts/hostile: this user may not take the network away from a process (unshare --net)")


def tree(base: Path) -> dict[str, str]:
    """What lies below a folder, small files by their hash; symbolic links are not followed."""

    def content(path: Path) -> str:
        if path.is_symlink() or not path.is_file():
            return "no file"
        state = path.stat()
        if state.st_size > 1 << 20:
            return f"{state.st_size} {state.st_mtime_ns}"
        return hashlib.sha256(path.read_bytes()).hexdigest()

    return {str(path.relative_to(base)): content(path) for path in base.rglob("*")}


def seconds_allowed(row: dict[str, str]) -> float:
    """How long a row may take: its check may say so."""
    if "under a second" in row["check"]:
        return patience
    stated = re.search(r"under (\d+) s\b", row["check"])
    return patience * (float(stated[1]) if stated else 5.0)


def always(row: dict[str, str], run: Run) -> list[str]:
    """What is wrong whatever the outcome may be."""
    faults: list[str] = []
    if run.status < 0 or run.status in (101, 134, 139) or re.search(r"panicked|fault of mce|internal error", run.stderr):
        faults.append(f"a panic or signal ({run.status})")
    if run.status == 2:
        faults.append("the command line was not understood")
    seconds = seconds_allowed(row)
    if run.seconds > seconds:
        faults.append(f"took {run.seconds:.1f} s, {seconds} s are allowed")
    memory = re.search(r"(\d+) MB", row["check"])
    megabytes = float(memory[1]) if memory and float(memory[1]) >= 50 else 500.0
    if run.megabytes > megabytes:
        faults.append(f"took {run.megabytes:.0f} MB, {megabytes:.0f} MB are allowed")
    if run.strays:
        faults.append(f"wrote outside the output folder: {run.strays}")
    if run.connections:
        faults.append(f"reached out: {run.connections}")
    if run.stdin_was_read:
        faults.append("read stdin")
    texts = {"stdout": run.stdout, "stderr": run.stderr}
    texts |= {name: content.decode("utf-8", "replace") for name, content in run.outputs.items()}
    for name, text in texts.items():
        found = FORBIDDEN.search(text) or (EVIL.search(text) if row["kind"] == "config" else None)
        if found:
            faults.append(f"{name} holds `{found[0]}`")
    return faults


def outcome_of(case: Case, run: Run) -> tuple[str, dict[str, Manifest]]:
    """How a run ended, and its manifests by folder."""
    manifests: dict[str, Manifest] = {}
    for name, content in run.outputs.items():
        if name.endswith("/manifest.json"):
            try:
                manifests[name.removesuffix("/manifest.json")] = strict_json(content.decode("utf-8"))
            except ValueError as error:
                case.faults.append(f"{name} is no strict JSON: {error}")
    if run.status != 0:
        return "error", manifests
    reasons = [skipped["reason"] for manifest in manifests.values() for skipped in manifest["skipped"]]
    if case.is_config or not reasons:
        return "ok_inert", manifests
    if any(reason.startswith("unsupported") for reason in reasons):
        return "skip", manifests
    # Left out by the config's own rule: the document as such is fine.
    return "skip or ok_inert", manifests


def judge_error(row: dict[str, str], config: Path, run: Run, before: Run | None) -> list[str]:
    """An error names the place and leaves nothing behind."""
    faults: list[str] = []
    if run.outputs != (before.outputs if before else {}):
        faults.append(f"an error, and yet the output changed: {sorted(run.outputs)}")
    if "error: " not in run.stderr:
        faults.append("stderr has no line `error: …`")
    name = Path(row["file"]).name
    if name not in run.stderr and "`hostile`" not in run.stderr:
        faults.append("the message names no place")
    if "line and column" in row["check"]:
        place = re.escape(name) + r":\d+:\d+" if row["kind"] == "config" else r"line \d+, column \d+"
        if not re.search(place, run.stderr):
            faults.append("the message names no line and column")
    if hidden := hidden_characters(re.sub(r"\x1b\[[0-9;]*m", "", run.stderr)):
        faults += [f"stderr: {fault}" for fault in hidden]
    return faults


def judge_inert(case: Case, document: Path, run: Run, manifests: dict[str, Manifest]) -> list[str]:
    """What was written is data and stubs, nothing else."""
    faults: list[str] = []
    modules = {name.removesuffix("/functions.py"): text for name, text in run.outputs.items() if name.endswith("/functions.py")}
    if not modules or modules.keys() != manifests.keys():
        faults.append(f"there are modules {sorted(modules)} and manifests {sorted(manifests)}")
    expected = hostile_operations.of(document)
    judged: dict[bytes, list[str]] = {}
    for folder, source in modules.items():
        if not re.fullmatch(r"[a-z][a-z0-9_]*", folder):
            faults.append(f"`{folder}` is no plain identifier")
        # Many servers of one document give almost the same module many times.
        if len(judged) < 20:
            judged[source] = module_faults(source)
        faults += [f"{folder}: {fault}" for fault in judged.get(source, [])]
        manifest = manifests.get(folder)
        if manifest is None:
            continue
        faults += [f"{folder}/manifest.json: {fault}" for fault in manifest_faults(case, manifest, expected, run)]
    return faults


def manifest_faults(case: Case, manifest: Manifest, expected: hostile_operations.Operations, run: Run) -> list[str]:
    """What is wrong with a manifest."""
    faults: list[str] = []
    functions = [function["name"] for function in manifest["functions"]]
    is_filtered = "include" in case.row["file"] or "exclude" in case.row["file"]
    if expected.has_control and "get_control" not in functions and not is_filtered:
        faults.append(f"get_control is not among {functions}")
    if len(set(functions)) != len(functions):
        faults.append(f"names are given twice: {functions}")
    operations = [(entry["method"], entry["path"]) for entry in (*manifest["functions"], *manifest["skipped"])]
    if len(set(operations)) != len(operations):
        faults.append(f"an operation is listed twice: {operations}")
    for method, path in expected.required:
        if (method, path) not in operations and ("*", path) not in operations:
            faults.append(f"{method} {path} is neither compiled nor skipped")
    if any(not skipped["reason"] for skipped in manifest["skipped"]):
        faults.append("an operation is skipped without a reason")
    for function in manifest["functions"]:
        if function["method"] not in hostile_operations.METHODS | {"QUERY"}:
            faults.append(f"the method {function['method']!r}")
        statuses = [response["status"] for response in function["responses"]]
        if not all(re.fullmatch(r"[1-5](\d\d|XX)|default", status) for status in statuses):
            faults.append(f"the statuses {statuses}")
        if manifest["read_only"] and function["method"] not in ("GET", "HEAD", "OPTIONS", "TRACE", "QUERY"):
            if not case.is_config:
                faults.append(f"{function['method']} {function['path']} although read-only")
    base = manifest["base_url"]
    if base is not None:
        host = httpx.URL(base).host
        if not re.match(r"https?://[^/?#@{}\\]+(/|$)", base) or not base.isascii():
            faults.append(f"the base_url {base!r}")
        if host.endswith("evil.example") and "evil.example" not in run.stdout + run.stderr and "the origin shown" not in case.row["check"]:
            faults.append(f"the base_url {base!r}, of which nothing was said")
    for scheme in manifest["security_schemes"].values():
        if set(scheme) - {"type", "scheme", "in", "name"}:
            faults.append(f"a security scheme with {sorted(scheme)}")
    return faults


def probe(cases: list[Case], folder: Path, mode: str) -> None:
    """Import all that was compiled and call it, in one process that may do nothing else."""
    folder.mkdir()
    for number, case in enumerate(cases):
        if case.compiled is None or not case.compiled.is_dir():
            continue
        target = folder / str(number)
        target.mkdir()
        shutil.copyfile(case.compiled / "mce_runtime.py", target / "mce_runtime.py")
        for server in sorted(case.compiled.iterdir())[:20]:
            if (server / "functions.py").exists():
                shutil.copytree(server, target / server.name)
    command = [*without_network(), sys.executable, "-I", str(HERE / "hostile_probe.py"), mode, str(folder)]
    command.append(str(Path(httpx.__file__).parent.parent))
    done = subprocess.run(command, capture_output=True, check=False, env={"PATH": os.environ["PATH"]}, timeout=300)
    if done.returncode:
        sys.exit(f"scripts/hostile: the probe ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    for number, faults in json.loads(done.stdout).items():
        cases[int(number)].faults += [f"{mode}: {fault}" for fault in faults[:5]]


if __name__ == "__main__":
    begun = time.monotonic()
    status = main()
    print(f"{time.monotonic() - begun:.0f} s")
    sys.exit(status)
