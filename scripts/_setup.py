"""What the commands in this folder share: is everything prepared, and if so, start the command.

Only the standard library, and Python 3.8 or newer: this runs before there is an environment. The usual
case, nothing to do, has to be cheap; whatever has to be made is in ``_install``, imported when needed.

The pieces, each with a stamp that says what it was made from:

- ``.venv``: the packages of ``wheelhouse/requirements.lock``, this checkout (editable), compiled .pyc files
- ``cotrain/clr/_assemblies``: the published C# side
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from typing import Any, Iterator

from _process import POSIX, SetupError, say

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TEST_PROJECT = os.path.join("tests", "dotnet", "NumSharpBridge.Tests", "NumSharpBridge.Tests.csproj")
STAMP = "cotrain-setup.json"
BUDGET = 300
"""Seconds that ``scripts/test`` may take without ``--full``."""


class Checkout:
    """The places of one checkout, and whether what lies there is current."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.venv = os.path.join(root, ".venv")
        self.python = os.path.join(self.venv, *(("bin", "python") if POSIX else ("Scripts", "python.exe")))
        self.venv_stamp = os.path.join(self.venv, STAMP)
        self.wheelhouse = os.path.join(root, "wheelhouse")
        self.lock = os.path.join(self.wheelhouse, "requirements.lock")
        self.assemblies = os.path.join(root, "cotrain", "clr", "_assemblies")
        self.assemblies_stamp = os.path.join(self.assemblies, STAMP)
        self.build = os.path.join(root, "build", "setup")

    def below_build(self, *names: str) -> list[str]:
        """Paths of what the set-up keeps for itself."""
        return [os.path.join(self.build, name) for name in names]

    def is_ready(self) -> bool:
        """Nothing has to be made. Costs some milliseconds."""
        stamp = read_stamp(self.venv_stamp)
        return (
            self.packages_are_current(stamp)
            and stamp.get("editable") == self.editable_key()
            and stamp.get("bytecode") == self.bytecode_key()
            and self.assemblies_are_current()
        )

    def packages_are_current(self, stamp: dict[str, Any]) -> bool:
        """The locked packages were installed here, and none has been taken away since."""
        if stamp.get("root") != self.root or stamp.get("packages") != self.packages_key():
            return False
        try:
            there = os.listdir(os.path.join(self.venv, stamp["site"]))
        except (KeyError, OSError):
            return False
        return os.path.exists(self.python) and set(stamp["present"]).issubset(there)

    def assemblies_are_current(self) -> bool:
        """The assemblies were made from the sources as they are now, and nobody has touched them since."""
        stamp = read_stamp(self.assemblies_stamp)
        untouched = stamp.get("files") == file_states(self.assemblies)
        return untouched and stamp.get("sources") == self.sources_key()

    def packages_key(self) -> str:
        """Changes when the locked packages change."""
        return digest(self.root, [self.lock])

    def editable_key(self) -> str:
        """Changes when what pip knows about this project may have changed."""
        return digest(self.root, [os.path.join(self.root, "pyproject.toml")])

    def bytecode_key(self) -> str:
        """Changes when Python would compile a module again (it looks at time and size, too)."""
        states = []
        for folder in ("cotrain", "twin"):
            for path in walk(os.path.join(self.root, folder)):
                if path.endswith(".py"):
                    about = os.stat(path)
                    states.append(f"{path} {about.st_mtime_ns} {about.st_size}")
        return hashlib.sha256("\n".join(states).encode()).hexdigest()

    def sources_key(self) -> str:
        """Changes when a file that the C# build reads changes."""
        beside = [os.path.join(self.root, name) for name in ("global.json", "nuget.config", "NuGet.Config")]
        paths = [*walk(os.path.join(self.root, "dotnet")), *filter(os.path.exists, beside)]
        return digest(self.root, paths)


def walk(folder: str) -> Iterator[str]:
    """All source files below a folder in a fixed order; folders of build output are left out."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("bin", "obj", "__pycache__"))
        for name in sorted(names):
            yield os.path.join(here, name)


def digest(root: str, paths: list[str]) -> str:
    """SHA-256 over names and contents of files."""
    whole = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            content = file.read()
        whole.update(f"{os.path.relpath(path, root)} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()


def file_states(folder: str) -> dict[str, list[int]]:
    """Size and time of each file in a folder, the stamp itself left out; empty without the folder."""
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if entry.name != STAMP]
            return {entry.name: [entry.stat().st_size, entry.stat().st_mtime_ns] for entry in found}
    except OSError:
        return {}


def read_stamp(path: str) -> dict[str, Any]:
    """A stamp's content; empty when it is missing or unreadable, which counts as stale."""
    try:
        with open(path, encoding="utf-8") as file:
            stamp = json.load(file)
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def prepare(checkout: Checkout) -> int | None:
    """Make what is missing. Returns None when all is there, or the exit code after saying why not."""
    try:
        if not checkout.is_ready():
            import _install

            _install.bring_up_to_date(checkout)
    except SetupError as error:
        say(str(error))
        return 3
    except OSError as error:
        say(f"cannot read or write what the set-up needs: {error}")
        return 3
    except KeyboardInterrupt:
        say("interrupted; the next start goes on from here")
        return 130
    return None


def run(module: str, arguments: list[str]) -> int:
    """Prepare, then become ``python -m MODULE``; on Windows, wait for it. Returns the exit code."""
    checkout = Checkout(ROOT)
    failed = prepare(checkout)
    if failed is not None:
        return failed
    # -P: the folder that the user stands in, another checkout perhaps, must not shadow any module.
    command = [checkout.python, "-P", "-m", module, *arguments]
    # What the user typed, for usage lines and for "the command that shows it again".
    os.environ["COTRAIN_PROGRAM"] = sys.argv[0]
    if POSIX:
        if sys.stdout is not None:  # None when it was closed
            sys.stdout.flush()
        os.execv(command[0], command)
    return wait(command)


def test(arguments: list[str]) -> int:
    """Prepare, then run the C# tests and pytest. Returns the first exit code that is not 0."""
    start = time.monotonic()
    checkout = Checkout(ROOT)
    failed = prepare(checkout)
    if failed is not None:
        return failed
    full = "--full" in arguments
    selection = [absolute(argument) for argument in arguments if argument != "--full"]
    codes = []
    if any(not argument.startswith("-") for argument in selection):
        say("a selection of tests: only pytest runs, not the C# tests")
    elif os.path.exists(os.path.join(ROOT, TEST_PROJECT)):
        import _install

        codes.append(_install.dotnet_test(checkout, TEST_PROJECT))
    # One process per processor, each with its own .NET: the suite is many short programs. The long tier measures
    # memory and threads, and a selection is what someone debugs: those run alone.
    how = ["-m", ""] if full else [] if selection else ["-n", "auto", "--dist", "loadfile"]
    pytest = [checkout.python, "-m", "pytest", *how, *selection]
    codes.append(wait(pytest, cwd=ROOT))
    seconds = time.monotonic() - start
    if seconds > BUDGET and not full:
        say(f"the tests took {seconds:.0f} s, more than the {BUDGET} s they may take")
    return next((code for code in codes if code != 0), 0)


def absolute(argument: str) -> str:
    """A path of tests as the user, who may stand anywhere, meant it; anything else as it is."""
    path = argument.split("::")[0]
    return os.path.abspath(path) + argument[len(path) :] if os.path.exists(path) else argument


def wait(command: list[str], cwd: str | None = None) -> int:
    """Run a command in the foreground. Ctrl-C is the command's to handle: its exit code is what counts."""
    with subprocess.Popen(command, cwd=cwd) as child:
        while True:
            try:
                code = child.wait()
                return code if code >= 0 else 128 - code
            except KeyboardInterrupt:
                continue
