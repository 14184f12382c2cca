"""Tells what the sandbox image holds. Run by `mce sandbox build` and `status` in a container.

Writes one line of JSON with what the image holds, then one with what became of importing the
modules that are given as arguments: what those do comes too late to change the first.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import pkgutil
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

SITE = "/opt/mce/site"
ADDED = "/opt/mce/packages"
# Parts of the standard library that no code imports.
UNUSED = frozenset({"test", "tests", "idlelib", "turtledemo", "site-packages", "dist-packages"})
# In the header of byte code: made from a hash of the source, and never compared with it again.
UNCHECKED_HASH = 1
MOST_SHOWN = 5


def c_library() -> dict[str, list[int]] | None:
    """Name and version of the C library."""
    try:
        name, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    except (AttributeError, OSError, ValueError):
        name = version = ""
    if name == "glibc":
        return {"glibc": [int(part) for part in version.split(".")[:2]]}
    for loader in sorted(Path("/lib").glob("ld-musl-*.so.1")):
        said = subprocess.run([loader], capture_output=True, text=True, check=False).stderr
        for line in said.splitlines():
            if line.startswith("Version "):
                return {"musl": [int(part) for part in line.split()[1].split(".")[:2]]}
    return None


def markers() -> dict[str, str]:
    """What environment markers are judged by (PEP 508)."""
    # A build between two releases ends in `+`, which is no version.
    version = platform.python_version().rstrip("+")
    return {
        "implementation_name": sys.implementation.name,
        "implementation_version": version,
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_full_version": version,
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    }


def top_level(distribution: importlib.metadata.Distribution) -> list[str]:
    """The names that files of a package make importable."""
    names = set()
    for file in distribution.files or ():
        if file.suffix in {".py", ".so"} and file.parts[0] != "..":
            name = file.parts[0] if len(file.parts) > 1 else file.name.split(".")[0]
            if name.isidentifier():
                names.add(name)
    return sorted(names)


def distributions() -> list[dict[str, Any]]:
    """The packages, those that are found first."""
    found: dict[str, dict[str, Any]] = {}
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"]
        if not name or name in found:
            continue
        found[name] = {
            "name": name,
            "version": distribution.version,
            "requires": distribution.requires or [],
            "modules": top_level(distribution),
            "added": str(distribution.locate_file("")).rstrip("/") == ADDED,
        }
    return [found[name] for name in sorted(found)]


def other_modules() -> list[str]:
    """What can be imported beside the standard library and added packages."""
    standard = set(sysconfig.get_paths().values()) - set(
        map(sysconfig.get_path, ("purelib", "platlib"))
    )
    folders = [path for path in sys.path if path not in standard and path != ADDED]
    names = {module.name for module in pkgutil.iter_modules(folders)}
    return sorted(names - sys.stdlib_module_names)


def is_compiled(source: Path) -> bool:
    """Whether byte code is used without a look at the source, or there cannot be any."""
    try:
        with Path(importlib.util.cache_from_source(str(source))).open("rb") as file:
            header = file.read(8)
        if header[:4] == importlib.util.MAGIC_NUMBER:
            return int.from_bytes(header[4:8], "little") == UNCHECKED_HASH
    except OSError:
        pass
    try:
        compile(source.read_bytes(), str(source), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OSError):
        return True
    return False


def not_compiled() -> list[str]:
    """Sources without byte code, a few of them."""
    missing = []
    for top in (sysconfig.get_path("stdlib"), SITE, ADDED):
        for folder, folders, files in os.walk(top):
            folders[:] = sorted(set(folders) - UNUSED)
            for file in sorted(files):
                source = Path(folder, file)
                if source.suffix == ".py" and not is_compiled(source):
                    missing.append(str(source))
                    if len(missing) == MOST_SHOWN:
                        return missing
    return missing


def examination() -> dict[str, Any]:
    """What the image holds."""
    return {
        "python": platform.python_version(),
        "platform": {
            "python": sys.version_info[:2],
            "machine": platform.machine(),
            "libc": c_library(),
        },
        "markers": markers(),
        "standard_modules": sorted(sys.stdlib_module_names),
        "other_modules": other_modules(),
        "distributions": distributions(),
        "not_compiled": not_compiled(),
        "pip": importlib.util.find_spec("pip") is not None,
    }


def reason(error: BaseException) -> str:
    """What is wrong, by the error that came first: packages wrap it into advice."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def imported(names: list[str]) -> dict[str, str | None]:
    """What became of importing modules: nothing, or an error."""
    outcomes: dict[str, str | None] = {}
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException as error:  # whatever a module does, the next one is tried
            outcomes[name] = reason(error)
        else:
            outcomes[name] = None
    return outcomes


def main() -> None:
    """Write what was found to where stdout was; whatever modules print goes to stderr."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    print(json.dumps(examination()), file=answer, flush=True)
    print(json.dumps(imported(sys.argv[1:])), file=answer, flush=True)
    os._exit(0)


main()
