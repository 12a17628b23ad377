"""Make what a checkout lacks: ``.venv``, its packages, the editable install, the assemblies.

Everything here may be interrupted at any point: a stamp is written last and atomically, a marker tells
a half-made ``.venv`` from one that somebody made by hand, and the assemblies are swapped in complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import Any, Iterator, NoReturn

import _dotnet
from _process import POSIX, SetupError, run, say
from _setup import STAMP, Checkout, file_states, read_stamp

OLDEST = (3, 11)
WHEELHOUSE = (3, 11)
"""The Python whose wheels wheelhouse/ holds; taken when there are several."""

QUIET_PIP = ("--quiet", "--no-input", "--no-warn-script-location")
MISPLACING = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PYTHONPATH", "PYTHONHOME")
RESTORE = "`git checkout -- wheelhouse` brings it back"
UNFINISHED = "cotrain-setup.unfinished"

ABOUT_PYTHON = """
import sys, venv
kind = sys.implementation.name + ("t" in getattr(sys, "abiflags", "")) * " free-threaded"
print(sys.executable, sys.prefix, kind, *sys.version_info[:2], sep="\\n")
"""

MISFITS = """
import sys
sys.path.insert(0, sys.argv[1])
from pip._vendor.packaging.tags import sys_tags
from pip._vendor.packaging.utils import parse_wheel_filename
fitting = frozenset(sys_tags())
print(*[name for name in sys.argv[2:] if fitting.isdisjoint(parse_wheel_filename(name)[3])])
"""


def bring_up_to_date(checkout: Checkout) -> None:
    """Make whatever is not current. Raises SetupError with one sentence about what a person can do."""

    def end(number: int, _: Any) -> NoReturn:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)  # an exception instead of sudden death: children must be ended
    os.makedirs(checkout.build, exist_ok=True)
    with only_one(checkout) as held:
        if not checkout.assemblies_are_current():
            _dotnet.find_sdk()  # before the slow part: without an SDK nothing else helps
        stamp = read_stamp(checkout.venv_stamp)
        if not checkout.packages_are_current(stamp):
            stamp = make_environment(checkout, stamp, held)
        if stamp.get("editable") != checkout.editable_key():
            install_checkout(checkout, held)
            write_stamp(checkout.venv_stamp, {**stamp, "editable": checkout.editable_key()})
        compile_modules(checkout)
        if not checkout.assemblies_are_current():
            make_assemblies(checkout, held)


@contextmanager
def only_one(checkout: Checkout) -> Iterator[int]:
    """Hold the checkout's set-up lock; yields its descriptor."""
    with open(os.path.join(checkout.build, "lock"), "a+b") as file:
        if not try_lock(file.fileno()):
            say("waiting for another set-up of this checkout")
            while not try_lock(file.fileno()):
                time.sleep(0.2)
        yield file.fileno()


def try_lock(descriptor: int) -> bool:
    """Take the lock unless someone holds it. It goes with the descriptor, however its process ends."""
    try:
        if POSIX:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True


def write_stamp(path: str, stamp: dict[str, Any]) -> None:
    """Replace a stamp in one go."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(stamp, file, indent=1)
    os.replace(path + ".new", path)


# ---- the environment


def about_python(command: list[str]) -> tuple[str, str, str, tuple[int, int]] | None:
    """(executable, prefix, implementation, version) of an interpreter that can make environments."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    lines = run([*command, "-c", ABOUT_PYTHON], env=env).text.splitlines()[-5:]
    if len(lines) != 5 or not lines[3].isdigit():
        return None
    return lines[0], lines[1], lines[2], (int(lines[3]), int(lines[4]))


def find_python() -> str:
    """The interpreter for ``.venv``: one that the wheelhouse fits, else any that is new enough."""
    asked = os.environ.get("COTRAIN_PYTHON")
    if asked:
        candidates = [[asked]]
    else:
        names = [f"python3.{minor}" for minor in range(OLDEST[1], 16)] + ["python3", "python"]
        candidates = [[sys.executable], *([path] for path in map(shutil.which, names) if path)]
        candidates += [] if POSIX else [["py", "-3.11"], ["py", "-3"]]
    found = []
    for candidate in candidates:
        about = about_python(candidate)
        if about is None:
            continue
        executable, _, implementation, version = about
        if version == WHEELHOUSE and implementation == "cpython":
            return executable
        found.append((executable, implementation, version))
    for executable, implementation, version in found:
        if version >= OLDEST and implementation == "cpython":
            return executable
    seen = ", ".join(f"{path} ({kind} {major}.{minor})" for path, kind, (major, minor) in found)
    raise SetupError(
        f"cotrain needs CPython {OLDEST[0]}.{OLDEST[1]} or newer with its venv module, "
        f"and found {seen or asked or 'none'}; install one (3.11 needs no package index), "
        "or name one in the variable COTRAIN_PYTHON"
    )


def make_environment(checkout: Checkout, stamp: dict[str, Any], held: int) -> dict[str, Any]:
    """Make ``.venv``, or go on with the one there is, and install the locked packages. Returns the new stamp.

    Kept is an environment that was made by hand, and one whose lock file has changed. One that was left
    half-made, has lost packages or came from another folder is made anew.
    """
    unfinished = os.path.join(checkout.venv, UNFINISHED)
    lock_changed = stamp.get("root") == checkout.root and stamp.get("packages") != checkout.packages_key()
    keep = (lock_changed or not stamp) and not os.path.exists(unfinished) and is_usable(checkout)
    python = "" if keep else find_python()
    if python:
        say(f"making .venv with {python}")
        remove(checkout.venv)
        os.mkdir(checkout.venv)
    touch(unfinished)
    if python:
        # Without ensurepip, which some distributions leave out: pip is in the wheelhouse, too.
        make = [python, "-m", "venv", "--without-pip", checkout.venv]
        checked(make, "the environment could not be made", held)
    install_packages(checkout, held)
    find_site = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = checked([checkout.python, "-c", find_site], ".venv does not work", held).splitlines()[-1]
    stamp = {
        "root": checkout.root,
        "packages": checkout.packages_key(),
        "site": os.path.relpath(site, checkout.venv),
        "present": sorted(name for name in os.listdir(site) if name != "__pycache__"),
    }
    write_stamp(checkout.venv_stamp, stamp)
    os.remove(unfinished)
    return stamp


def is_usable(checkout: Checkout) -> bool:
    """``.venv`` is an environment that works, with an interpreter that is new enough."""
    about = about_python([checkout.python])
    if about is None:
        return False
    _, prefix, implementation, version = about
    in_place = os.path.realpath(prefix) == os.path.realpath(checkout.venv)
    return in_place and implementation == "cpython" and version >= OLDEST


def touch(path: str) -> None:
    """Make an empty file."""
    with open(path, "w", encoding="utf-8"):
        pass


def remove(path: str) -> None:
    """Delete whatever lies at a path."""
    if os.path.islink(path) or os.path.isfile(path):
        os.remove(path)
    elif os.path.exists(path):
        shutil.rmtree(path)


def locked(checkout: Checkout) -> list[tuple[str, str]]:
    """(name==version, sha256) of each locked package."""
    with open(checkout.lock, encoding="utf-8") as file:
        lines = [line.split() for line in file if "--hash=sha256:" in line]
    return [(line[0], line[1].partition("sha256:")[2]) for line in lines]


def pip_wheel(checkout: Checkout) -> str:
    """The path of the wheelhouse's pip, which runs from its wheel; its hash is checked before that."""
    name, expected = next(entry for entry in locked(checkout) if entry[0].startswith("pip=="))
    path = os.path.join(checkout.wheelhouse, f"{name.replace('==', '-')}-py3-none-any.whl")
    try:
        with open(path, "rb") as file:
            actual = hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        raise SetupError(f"{path} is missing; {RESTORE}") from None
    if actual != expected:
        raise SetupError(f"{path} is not the file that requirements.lock names; {RESTORE}")
    return path


def install_packages(checkout: Checkout, held: int) -> None:
    """Install the locked packages from the wheelhouse when it fits, else the same versions from the index."""
    wheel = pip_wheel(checkout)
    wheels = sorted(name for name in os.listdir(checkout.wheelhouse) if name.endswith(".whl"))
    answer = checked([checkout.python, "-c", MISFITS, wheel, *wheels], "pip does not start", held)
    misfits = answer.splitlines()[-1].split()
    pip = [checkout.python, os.path.join(wheel, "pip"), "install", *QUIET_PIP, "--only-binary", ":all:"]
    if not misfits:
        say("installing packages from wheelhouse/")
        source = ["--no-index", "--find-links", checkout.wheelhouse, "--require-hashes", "-r", checkout.lock]
        checked([*pip, *source], f"wheelhouse/ does not install; if it was changed, {RESTORE}", held)
    else:
        lacking = misfits[0].split("-")[0]
        say(f"wheelhouse/ has no {lacking} for this Python, so packages come from the package index")
        # Hashes belong to single files, and these are other files of the same versions.
        names = [name for name, _ in locked(checkout)]
        env = {name: value for name, value in os.environ.items() if name not in MISPLACING}
        checked([*pip, *names], "the package index did not give what cotrain needs", held, env)


def install_checkout(checkout: Checkout, held: int) -> None:
    """Make ``cotrain`` and ``twin`` importable in ``.venv``, with the project's entry points."""
    pip = [checkout.python, "-m", "pip", "install", *QUIET_PIP, "--no-index", "--no-deps"]
    editable = ["--no-build-isolation", "--editable", checkout.root]
    checked([*pip, *editable], "the checkout could not be installed", held)


def offline_pip() -> dict[str, str]:
    """An environment in which pip obeys its arguments alone: no PIP_* variable, no configuration file."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    return {**env, "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def checked(command: list[str], failure: str, held: int, env: dict[str, str] | None = None) -> str:
    """Run a command; returns its output, or raises SetupError with ``failure`` and the end of the output."""
    result = run(command, env=offline_pip() if env is None else env, keep_open=held)
    if result.code != 0:
        lines = [line for line in result.text.splitlines() if line.strip()]
        errors = [number for number, line in enumerate(lines) if line.startswith("ERROR")]
        telling = lines[errors[0] :][:8] if errors else lines[-8:]
        raise SetupError("\n  ".join([failure + ":", *(telling or [f"exit code {result.code}"])]))
    return result.text


def compile_modules(checkout: Checkout) -> None:
    """Compile to .pyc what Python would compile during the run, which should leave no file behind."""
    stamp = read_stamp(checkout.venv_stamp)
    key = checkout.bytecode_key()
    if stamp.get("bytecode") != key:
        folders = [os.path.join(checkout.root, name) for name in ("cotrain", "twin")]
        # Its exit code tells of a module with a syntax error, which is for the command itself to report.
        run([checkout.python, "-m", "compileall", "-q", *folders], env=offline_pip())
        write_stamp(checkout.venv_stamp, {**stamp, "bytecode": key})


# ---- the C# side


def make_assemblies(checkout: Checkout, held: int) -> None:
    """Compile the C# side and put the result in place in one go."""
    say("compiling the C# side")
    sources = checkout.sources_key()
    output, artifacts, unfinished = checkout.below_build("publish", "dotnet", "unfinished")
    if os.path.exists(unfinished):
        remove(artifacts)  # an intermediate file may be half-written, and look new
    remove(output)
    touch(unfinished)
    try:
        _dotnet.publish(checkout.root, output, artifacts, held)
    except SetupError:
        os.remove(unfinished)  # it ran to its end, so what it left is sound
        raise
    write_stamp(os.path.join(output, STAMP), {"sources": sources, "files": file_states(output)})
    # Renamed, not overwritten: a lockstep that runs now has the old files mapped into its memory.
    former = os.path.join(checkout.build, f"former-{os.getpid()}")
    if os.path.exists(checkout.assemblies):
        os.rename(checkout.assemblies, former)
    os.rename(output, checkout.assemblies)
    shutil.rmtree(former, ignore_errors=True)
    os.remove(unfinished)


def dotnet_test(checkout: Checkout, project: str) -> int:
    """Run the C# tests in the foreground. Returns their exit code, or 3 when there is no SDK."""
    try:
        dotnet = _dotnet.find_sdk()
    except SetupError as error:
        say(str(error))
        return 3
    (artifacts,) = checkout.below_build("dotnet")
    command = [dotnet, "test", os.path.join(checkout.root, project), "-c", "Release"]
    # A failure says why, which -v:quiet would keep to itself.
    command += ["--artifacts-path", artifacts, "--logger", "console;verbosity=minimal"]
    with only_one(checkout):  # it compiles into the same folder
        return subprocess.call([*command, *_dotnet.QUIET], env=_dotnet.environment(), cwd=checkout.root)
