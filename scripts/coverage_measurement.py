"""The steps of `scripts/coverage`: compiling, importing, checking types, and the referee."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from coverage_found import Document, Failure, Unmeasurable

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mce"
MUTATING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
KEPT_WHEN_READ_ONLY = frozenset({"GET", "HEAD"})
# Nobody listens there; the referee sets the addresses it calls itself.
BASE_URL = "http://127.0.0.1:9"
# The second opinion of a large document would otherwise take most of the time.
OPINION_SECONDS = 40
REFEREE_SECONDS = 900

# What one interpreter says of every module: the number of its public functions, or why it cannot
# be imported. A warning (such as of an invalid escape) is an error.
IMPORT_ALL = """
import importlib, json, pathlib, sys, traceback
folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
sys.dont_write_bytecode = True
found = {}
for module in sorted(folder.glob("*/functions.py")):
    server = module.parent.name
    try:
        names = vars(importlib.import_module(server + ".functions"))
        found[server] = sum(hasattr(value, "aio") for value in names.values())
    except BaseException as error:
        found[server] = repr(error)[:300]
print(json.dumps({"version": "%d.%d.%d" % sys.version_info[:3], "modules": found}))
"""

# The referee takes an operation that is itself a `$ref` for one without parameters and body. Run with
# the referee's own reader, this writes such documents out beside themselves, to be read in their place.
WRITE_OUT = """
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
from refereelib.documents import Documents
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
written = {}
for name in sys.argv[2:]:
    try:
        documents = Documents(pathlib.Path(name))
        paths, found = documents.root.get("paths") or {}, 0
        for path, item in paths.items():
            item = documents.deref(item)
            for method in METHODS:
                if isinstance(item, dict) and isinstance(item.get(method), dict) and "$ref" in item[method]:
                    item = paths[path] = {**item, method: documents.deref(item[method])}
                    found += 1
    except Exception as error:
        # The referee cannot read it either, and says so where it judges it.
        print(f"{name}: {error!r}"[:300], file=sys.stderr)
        continue
    if found:
        copy = pathlib.Path(name).with_suffix(".written-out.json")
        copy.write_text(json.dumps(documents.root, default=str))
        written[name] = [str(copy), found]
print(json.dumps(written))
"""


class Measurement:
    """All steps over one set of documents, in a folder to work in."""

    def __init__(self, work: Path, shared: Path, documents: list[Document], jobs: int, mce: Path | None) -> None:
        self.work = work
        self.shared = shared
        self.documents = documents
        self.by_server = {document.server: document for document in documents}
        self.jobs = jobs
        self.mce = mce
        self.failures: list[Failure] = []
        self.unavailable: list[Failure] = []
        self.python: dict[str, tuple[int, int]] = {}
        self.unexpected: list[str] = []
        self.seconds: dict[str, float] = {}
        self.compiled = work / "compiled"
        self.read_only = work / "compiled-read-only"

    def run(self) -> None:
        self.step("build", self.build)
        self.step("compile", self.compile)
        self.step("errors", self.compile_what_must_fail)
        self.step("read-only", self.compile_read_only)
        self.step("import", self.import_all)
        self.step("types", self.check_types)
        self.step("referee", self.judge)

    def step(self, name: str, do: Callable[[], None]) -> None:
        begun = time.monotonic()
        print(f"coverage: {name}", file=sys.stderr, flush=True)
        do()
        self.seconds[name] = time.monotonic() - begun

    def expected_ok(self) -> list[Document]:
        return [document for document in self.documents if document.expect == "ok"]

    def succeeded(self) -> list[Document]:
        return [document for document in self.expected_ok() if document.error is None]

    def fail(self, server: str, check: str, place: str, reason: str) -> None:
        self.failures.append(Failure(server, check, place, reason))

    # -- compiling -------------------------------------------------------------------------------

    def build(self) -> None:
        if self.mce is None:
            target = os.environ.setdefault("CARGO_TARGET_DIR", str(CACHE / "target"))
            command("cargo", "build", "--release", "--locked", "--quiet", cwd=ROOT)
            self.mce = Path(target) / "release" / "mce"
        self.mce = self.mce.resolve()
        # References may go anywhere below the config's folder, so the documents are put there.
        for name in ("compiled", "compiled-read-only", "specs", "alone"):
            shutil.rmtree(self.work / name, ignore_errors=True)
        shutil.copytree(self.shared / "specs", self.work / "specs", copy_function=copy_writable)
        for folder, _, _ in os.walk(self.work / "specs"):
            os.chmod(folder, 0o755)

    def run_compiler(self, documents: list[Document], name: str, output: Path, read_only: bool) -> dict[str, Any]:
        """The compiler's report; a server's error is in it."""
        config = self.work / f"{name}.yaml"
        lines = ["servers:"]
        for document in documents:
            lines += [
                f"  - name: {document.server}",
                f"    swagger_url: {json.dumps('specs/' + document.path)}",
                f"    base_url: {BASE_URL}/{document.server}",
                f"    is_read_only: {str(read_only).lower()}",
            ]
        config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run(
            [str(self.mce), "compile", "--config", str(config), "--output", str(output), "--format", "json"],
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        try:
            report: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            raise Unmeasurable(f"`mce compile` (status {done.returncode}) gave no report: {done.stderr[-2000:]}") from None
        if "panicked" in done.stderr:
            self.unexpected.append(f"a panic: {done.stderr[-300:]}")
        return report

    def compile(self) -> None:
        report = self.run_compiler(self.expected_ok(), "all", self.compiled, read_only=False)
        for server in report["servers"]:
            document = self.by_server[server["server"]]
            document.error = server["error"]
            if document.error is not None:
                self.fail(document.server, "compile", "document", document.error)
                continue
            manifest = self.manifest(self.compiled, document)
            document.functions = len(manifest["functions"])
            document.skipped = Counter(entry["reason"] for entry in manifest["skipped"])
            for entry in manifest["skipped"]:
                self.fail(document.server, "skipped", f"{entry['method']} {entry['path']}", entry["reason"])

    def manifest(self, folder: Path, document: Document) -> Any:
        return json.loads((folder / document.server / "manifest.json").read_text(encoding="utf-8"))

    def compile_what_must_fail(self) -> None:
        """Each on its own: an error that says what is wrong, and no output."""
        for document in self.documents:
            if document.expect == "ok":
                continue
            output = self.work / "alone" / document.server
            report = self.run_compiler([document], "alone", output, read_only=False)
            document.error = report["servers"][0]["error"] if report["servers"] else report["error"]
            written = (output / document.server / "functions.py").exists()
            if document.expect == "error" and (not document.error or written):
                self.unexpected.append(f"{document.server}: {'output' if written else 'no error'}, where an error is due")
            if document.error and written:
                self.unexpected.append(f"{document.server}: output and an error")

    def compile_read_only(self) -> None:
        """No operation that changes anything may be in the manifest or the source."""
        report = self.run_compiler(self.expected_ok(), "read-only", self.read_only, read_only=True)
        for server in report["servers"]:
            document = self.by_server[server["server"]]
            if server["error"] is not None:
                continue
            manifest = self.manifest(self.read_only, document)
            listed = [entry["method"] for entry in manifest["functions"]]
            source = (self.read_only / document.server / "functions.py").read_text(encoding="utf-8")
            called = list(decorated_methods(source))
            document.leaks = sum(method.upper() in MUTATING for method in listed + called)
            for method in set(listed + called) & MUTATING:
                self.fail(document.server, "read-only", "module", f"a read-only client holds {method}")
            for entry in manifest["skipped"]:
                if entry["reason"] == "read_only" and entry["method"] in KEPT_WHEN_READ_ONLY:
                    place = f"{entry['method']} {entry['path']}"
                    self.fail(document.server, "read-only", place, "left out, though it only reads")

    # -- modules ---------------------------------------------------------------------------------

    def import_all(self) -> None:
        self.imported("this machine", subprocess.run(
            [self.referee_python(), "-I", "-W", "error", "-c", IMPORT_ALL, str(self.compiled)],
            capture_output=True, text=True, timeout=600,
        ))  # fmt: skip
        command(str(ROOT / "scripts" / "engine"))
        image = os.environ.get("MCE_DOCKER_IMAGE", "mce-sandbox:latest")
        client = "docker" if shutil.which("docker") else "podman"
        # One container for all; it sees the modules alone and has no network.
        self.imported("the sandbox image", subprocess.run(
            [client, "run", "--rm", "--interactive", "--network", "none", "--read-only",
             "--volume", f"{self.compiled}:/compiled:ro", "--entrypoint", "python3",
             image, "-I", "-W", "error", "-", "/compiled"],
            input=IMPORT_ALL, capture_output=True, text=True, timeout=600,
        ))  # fmt: skip

    def imported(self, place: str, done: subprocess.CompletedProcess[str]) -> None:
        if done.returncode != 0:
            raise Unmeasurable(f"importing in {place} failed: {done.stderr[-2000:]}")
        found = json.loads(done.stdout)
        good = 0
        for document in self.succeeded():
            functions = found["modules"].get(document.server, "no module")
            if functions == document.functions:
                good += 1
            else:
                reason = f"{functions} functions of {document.functions}" if isinstance(functions, int) else functions
                self.fail(document.server, f"import on Python {found['version']}", "module", reason)
        self.python[f"{found['version']} ({place})"] = (good, len(self.expected_ok()))

    def check_types(self) -> None:
        """All modules in one run of mypy, with the referee's options and `--strict`."""
        targets = [f"{document.server}/functions.py" for document in self.succeeded()]
        cache = CACHE / "mypy-coverage"
        done = subprocess.run(
            [self.referee_python(), "-m", "mypy", "--config-file=", f"--cache-dir={cache}", "--strict",
             "--no-error-summary", "--no-color-output", "--show-error-codes", "--hide-error-context",
             "--namespace-packages", "--explicit-package-bases", "--python-version=3.11", *targets],
            cwd=self.compiled, env={**os.environ, "MYPYPATH": "."}, capture_output=True, text=True, timeout=1800,
        )  # fmt: skip
        if done.returncode not in (0, 1):
            raise Unmeasurable(f"mypy failed: {(done.stderr or done.stdout)[-2000:]}")
        for line in done.stdout.splitlines():
            if ": error: " not in line:
                continue
            place, _, reason = line.partition(": error: ")
            server = place.partition("/")[0]
            if server in self.by_server:
                self.by_server[server].mypy_errors += 1
            self.fail(server, "types", place, reason)

    # -- the referee -----------------------------------------------------------------------------

    def referee_python(self) -> str:
        requirements = self.shared / "referee" / "requirements.txt"
        return command(str(ROOT / "scripts" / "python-env"), str(requirements)).strip()

    def judge(self) -> None:
        index = self.work / "index.tsv"
        folder = referee(self.shared / "referee")
        # The largest first, so that none is left alone at the end.
        order = sorted(self.succeeded(), key=lambda document: -document.functions)
        specs = {document.server: str(self.work / "specs" / document.path) for document in order}
        written = json.loads(command(self.referee_python(), "-c", WRITE_OUT, str(folder), *specs.values()))
        rows = [f"{server}\t{spec}" for server, spec in specs.items()]
        for server, spec in specs.items():
            if spec in written:
                copy, self.by_server[server].references = written[spec]
                rows.append(f"{server}\t{copy}")
        index.write_text("\n".join(["server\tspec", *rows]) + "\n", encoding="utf-8")
        out = self.work / "referee.json"
        done = subprocess.run(
            [self.referee_python(), str(folder / "referee.py"), "--index", str(index),
             "--compiled", str(self.compiled), "--parallel", str(self.jobs), "--json", str(out), "--no-types",
             "--timeout", str(REFEREE_SECONDS), "--openapi-core-seconds", str(OPINION_SECONDS)],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        if not out.exists():
            raise Unmeasurable(f"the referee gave no report (status {done.returncode})")
        for result in json.loads(out.read_text(encoding="utf-8")):
            document = self.by_server[result["server"]]
            if document.references and result["spec"] in written:
                figures = result["checks"].get("requests", {"figures": {}})["figures"]
                document.right_as_it_is, _ = fraction(figures.get("operations right", "0/0"))
                continue
            self.take(document, result)

    def take(self, document: Document, result: dict[str, Any]) -> None:
        """What the referee says of one document."""
        document.seconds = float(result["facts"].get("seconds", 0.0))
        if result.get("error"):
            document.not_judged = document.functions
            self.unavailable.append(Failure(document.server, "referee", "document", result["error"]))
        for check, found in result["checks"].items():
            for place, reason in found["failures"]:
                self.fail(document.server, check, place, reason)
            for place, reason in found["unavailable"]:
                self.unavailable.append(Failure(document.server, check, place, reason))
        checks = result["checks"]
        coverage = checks.get("coverage", {"failures": [], "figures": {}})
        # The index leaves out what lies in further files.
        document.operations = coverage["figures"].get("operations", document.operations)
        document.unlisted = sum(
            reason.endswith(("entry in 'skipped'", "functions for one operation")) for _, reason in coverage["failures"]
        )
        if "requests" not in checks or not checks["requests"]["figures"]:
            document.not_judged = document.functions
            return
        requests = checks["requests"]
        document.right, document.judged = fraction(requests["figures"]["operations right"])
        document.right_on_the_wire, _ = fraction(requests["figures"]["operations right on the wire"])
        document.not_judged = max(document.functions - document.judged, 0)
        _, document.requests = fraction(requests["figures"]["requests right"])
        document.unavailable = len(requests["unavailable"])
        document.undefined = int(requests["figures"]["values undefined by OpenAPI"])
        document.no_second_opinion = len(checks.get("openapi-core", {"unavailable": []})["unavailable"])


def copy_writable(source: str, target: str) -> str:
    return str(shutil.copyfile(source, target))


def command(*arguments: str, cwd: Path | None = None) -> str:
    done = subprocess.run(arguments, cwd=cwd, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Unmeasurable(f"`{' '.join(arguments)}` ended with status {done.returncode}")
    return done.stdout


def referee(folder: Path) -> Path:
    """The referee with what it needs of Node, where there is Node, for an opinion on 2.0 documents."""
    if (folder / "node" / "node_modules").is_dir() or not shutil.which("npm"):
        return folder
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    copy = CACHE / f"referee-{digest.hexdigest()[:16]}"
    if not copy.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="referee-", dir=CACHE) as temporary:
            made = Path(temporary) / "referee"
            shutil.copytree(
                folder, made, copy_function=copy_writable, ignore=shutil.ignore_patterns("__pycache__")
            )
            for inner, _, _ in os.walk(made):
                os.chmod(inner, 0o755)
            done = subprocess.run(["npm", "ci", "--silent"], cwd=made / "node", capture_output=True, text=True)
            if done.returncode != 0:
                print(f"coverage: no second opinion on 2.0 documents: {done.stderr[-300:]}", file=sys.stderr)
                return folder
            made.rename(copy)
    return copy


def decorated_methods(source: str) -> list[str]:
    """The method of every decorated stub."""
    methods = []
    for node in ast.parse(source).body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
            for argument in decorator.args[:1] if isinstance(decorator, ast.Call) else []:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    methods.append(argument.value)
    return methods


def fraction(text: str) -> tuple[int, int]:
    above, _, below = text.partition("/")
    return int(above), int(below)
