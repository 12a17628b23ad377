"""Starting .NET: once, with one NumSharp and one bridge, and leaving quickly and cleanly."""

from __future__ import annotations

import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cotrain import clr
from cotrain.clr import assemblies
from cotrain.errors import CotrainError, ExitCode

REPORT = """
import sys
from cotrain import clr
from cotrain.errors import CotrainError
def attempt(work):
    try:
        print(work())
    except CotrainError as error:
        print(int(error.exit_code), error)
"""


def renumbered(source: Path, folder: Path, minor: int) -> Path:
    """A copy of NumSharp.dll whose assembly version is 0.MINOR.0.0 instead of 0.70.0.0."""
    hash_algorithm = 0x8004  # precedes the version in the metadata's assembly row
    old = struct.pack("<IHHHH", hash_algorithm, 0, 70, 0, 0)
    image = source.read_bytes()
    assert image.count(old) == 1
    folder.mkdir()
    target = folder / source.name
    target.write_bytes(image.replace(old, struct.pack("<IHHHH", hash_algorithm, 0, minor, 0, 0)))
    return target


def bundled() -> Path:
    return assemblies.directory() / "NumSharp.dll"


def lines(result: subprocess.CompletedProcess[str]) -> list[str]:
    """What a child printed, after checking that it ended cleanly."""
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.splitlines()


def test_start_is_idempotent(runtime: clr.Runtime) -> None:
    assert clr.start() is runtime
    assert clr.start(bundled()) is runtime
    assert clr.current() is runtime
    assert re.fullmatch(r"10\.\d+\.\d+.*", runtime.version)
    assert runtime.numsharp.path == bundled()
    assert runtime.numsharp.version == "0.70.0.0"
    assert runtime.numsharp.bundled
    clr.check_single_copies()


def test_another_numsharp_after_the_start(runtime: clr.Runtime, tmp_path: Path) -> None:
    other = Path(shutil.copy(bundled(), tmp_path))
    text = (
        f"two copies of NumSharp in one process, {bundled()} and {other}: arrays of one are unknown to the "
        f"other, so only one may be loaded"
    )
    for attempt in (lambda: clr.start(other), lambda: clr.load_assembly(other)):
        with pytest.raises(CotrainError) as caught:
            attempt()
        assert str(caught.value) == text
        assert caught.value.exit_code is ExitCode.UNSUPPORTED


def test_a_second_bridge_is_refused(runtime: clr.Runtime, tmp_path: Path) -> None:
    other = Path(shutil.copy(runtime.bridge.path, tmp_path))
    with pytest.raises(CotrainError, match=r"^two copies of NumSharpBridge in one process, ") as caught:
        clr.load_assembly(other)
    assert str(runtime.bridge.path) in str(caught.value)
    assert str(other) in str(caught.value)


def test_the_loaded_ones_may_be_named_again(runtime: clr.Runtime) -> None:
    assert clr.load_assembly(bundled()) == runtime.numsharp.handle
    assert clr.load_assembly("NumSharpBridge.dll") == runtime.bridge.handle


def test_missing_assemblies(run_python: Any, tmp_path: Path) -> None:
    code = REPORT + "attempt(clr.start)"
    result = run_python(code, env={"COTRAIN_ASSEMBLIES": str(tmp_path)})
    built = "was not built; run scripts/lockstep, or dotnet publish dotnet/MnistMlp/MnistMlp.csproj -c Release"
    assert lines(result) == [
        f"3 {tmp_path} has no NumSharpBridge.dll: the .NET side {built} -o cotrain/clr/_assemblies"
    ]
    shutil.copy(assemblies.directory() / "NumSharpBridge.dll", tmp_path)
    result = run_python(code, env={"COTRAIN_ASSEMBLIES": str(tmp_path)})
    assert lines(result)[0].startswith(f"3 {tmp_path} has no NumSharp.dll: ")


@pytest.mark.parametrize("minor", [70, 60, 80])
def test_the_users_own_numsharp(run_python: Any, tmp_path: Path, minor: int) -> None:
    """Elsewhere, older or newer: the bridge and every assembly bind to it, and it is the only one."""
    if minor == 70:
        own = Path(shutil.copy(bundled(), tmp_path))
    else:
        own = renumbered(bundled(), tmp_path / "own", minor)
    code = REPORT + (
        "runtime = clr.start(sys.argv[1]); print(runtime.numsharp.path, runtime.numsharp.version,"
        " runtime.numsharp.bundled)\n"
        "import numpy as np; from cotrain.clr.arrays import nd, view\n"
        "print(view(nd(np.arange(3))).tolist())\n"
        "interface = clr.find_type('NumSharpBridge.dll:Cotrain.IMath')\n"
        "print(interface.GetMethod('Exp').ReturnType.Assembly.Location)\n"
        "from cotrain.clr import assemblies; print(*assemblies.copies('NumSharp'))\n"
        "clr.check_single_copies()\n"
    )
    assert lines(run_python(code, str(own))) == [
        f"{own} 0.{minor}.0.0 False", "[0, 1, 2]", str(own), str(own),
    ]  # fmt: skip


def test_bad_paths_to_numsharp(run_python: Any, tmp_path: Path) -> None:
    text = tmp_path / "NumSharp.dll"
    text.write_text("no assembly")
    other = assemblies.directory() / "NumSharpBridge.dll"
    code = REPORT + "for path in sys.argv[1:]: attempt(lambda: clr.start(path))"
    missing = tmp_path / "missing.dll"
    assert lines(run_python(code, str(missing), str(tmp_path), str(text), str(other))) == [
        f"2 the NumSharp to load, {missing}, does not exist",
        f"2 the NumSharp to load, {tmp_path}, is a directory: name the NumSharp.dll in it",
        f"2 {text} is not a .NET assembly",
        f"2 {other} is the assembly NumSharpBridge, not NumSharp",
    ]


def test_a_numsharp_that_was_loaded_before(run_python: Any, tmp_path: Path) -> None:
    own = Path(shutil.copy(bundled(), tmp_path))
    code = REPORT + (
        "import pythonnet; pythonnet.load('coreclr', runtime_config=sys.argv[2])\n"
        "from System.Reflection import Assembly; Assembly.LoadFrom(sys.argv[1])\n"
        "attempt(clr.start)\n"
        "attempt(lambda: clr.start(sys.argv[1]).numsharp.path)\n"
    )
    config = Path(assemblies.__file__).with_name("runtimeconfig.json")
    assert lines(run_python(code, str(own), str(config))) == [
        f"3 two copies of NumSharp in one process, {bundled()} and {own}: arrays of one are unknown to the "
        f"other, so only one may be loaded",
        str(own),
    ]


def test_a_copy_that_an_assembly_brought_in(run_python: Any, tmp_path: Path) -> None:
    """Code of a user's own may load what lies next to it into a context of its own."""
    own = Path(shutil.copy(bundled(), tmp_path))
    code = REPORT + (
        "clr.start()\n"
        "from System.Reflection import Assembly; Assembly.LoadFile(sys.argv[1])\n"
        "attempt(clr.check_single_copies)\n"
        "attempt(lambda: clr.load_assembly('MnistMlp.dll'))\n"
    )
    expected = (
        f"3 two copies of NumSharp in one process, {bundled()} and {own}: arrays of one are unknown to the "
        f"other, so only one may be loaded"
    )
    assert lines(run_python(code, str(own))) == [expected, expected]


def test_another_runtime_of_pythonnet_is_refused(run_python: Any) -> None:
    code = REPORT + (
        "import pythonnet; from clr_loader.types import RuntimeInfo\n"
        "pythonnet.get_runtime_info = lambda: RuntimeInfo('Mono', '6.12', True, False, {})\n"
        "attempt(clr.start)\n"
    )
    assert lines(run_python(code)) == [
        "3 this process already runs Mono through pythonnet, and NumSharp needs CoreCLR: call "
        "cotrain.clr.start() before anything else imports clr, or set PYTHONNET_RUNTIME=coreclr"
    ]


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        (
            "MnistMlp.MlpTrainer",
            "'MnistMlp.MlpTrainer' is not DLL:TYPE, as in MnistMlp.dll:MnistMlp.MlpTrainer",
        ),
        ("MnistMlp.dll:", "'MnistMlp.dll:' is not DLL:TYPE, as in MnistMlp.dll:MnistMlp.MlpTrainer"),
        (
            "NumSharpBridge.dll:Cotrain.ITraner",
            "NumSharpBridge.dll has no public type Cotrain.ITraner; did you mean Cotrain.ITrainer",
        ),
        (
            "NumSharpBridge.dll:itrainer",
            "NumSharpBridge.dll has no public type itrainer; did you mean Cotrain.ITrainer?",
        ),
        (
            "NumSharpBridge.dll:Cotrain.Interop.NativeError",
            "the type Cotrain.Interop.NativeError in NumSharpBridge.dll is not public",
        ),
        ("missing.dll:Some.Type", "there is no assembly "),
    ],
)
def test_types_that_are_not_there(runtime: clr.Runtime, specification: str, message: str) -> None:
    with pytest.raises(CotrainError) as caught:
        clr.find_type(specification)
    assert str(caught.value).startswith(message)
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_type_by_name_and_by_path(runtime: clr.Runtime) -> None:
    relative = clr.find_type("NumSharpBridge.dll:Cotrain.ITrainer")
    assert str(relative.FullName) == "Cotrain.ITrainer"
    assert clr.find_type(f"{runtime.bridge.path}:Cotrain.ITrainer") == relative


def test_what_is_no_assembly(runtime: clr.Runtime, tmp_path: Path) -> None:
    for content in (b"", b"MZ but nothing more"):
        file = tmp_path / "Some.dll"
        file.write_bytes(content)
        with pytest.raises(CotrainError, match=rf"^{re.escape(str(file))} is not a \.NET assembly$"):
            clr.load_assembly(file)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("thread", ["main", "another"])
def test_signal_handlers_survive_the_start(run_python: Any, thread: str) -> None:
    code = (
        "import os, signal, threading, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))\n"
        "from cotrain import clr\n"
        + ("clr.start()\n" if thread == "main" else "t = threading.Thread(target=clr.start); t.start(); t.join()\n")
        + "os.kill(os.getpid(), signal.SIGTERM)\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', seen == [signal.SIGTERM])\n"
    )
    assert lines(run_python(code)) == ["interrupted True"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_default_sigterm_still_ends_the_process(run_python: Any) -> None:
    code = "import os, signal, time; from cotrain import clr; clr.start(); os.kill(os.getpid(), 15); "
    "time.sleep(5)"
    result = run_python(code)
    assert (result.returncode, result.stderr) == (-signal.SIGTERM, "")


def test_exit_is_quick_and_clean(run_python: Any, tmp_path: Path) -> None:
    """With arrays alive on both sides: exit code 0, nothing on stderr, no second of pythonnet's shutdown."""
    code = (
        "import sys, time; import numpy as np; from cotrain.clr.arrays import nd, view\n"
        "from cotrain.clr import assemblies\n"
        "alive = [nd(np.zeros((50, n))) for n in range(100)]; seen = [view(array) for array in alive]\n"
        "own = view(assemblies.namespace('NumSharp').np.arange(10))\n"
        "print(time.time(), flush=True)\n"
    )
    result = run_python(code)
    ended = time.time()
    (last,) = lines(result)
    assert ended - float(last) < 1.0


def test_the_interpreters_exit_code_is_kept(run_python: Any) -> None:
    result = run_python("import sys; from cotrain import clr; clr.start(); sys.exit(3)")
    assert (result.returncode, result.stdout, result.stderr) == (3, "", "")


def test_nothing_else_is_changed(run_python: Any) -> None:
    """But for sys.path, to which pythonnet appends .NET's own folder."""
    code = (
        "import os, sys, signal, locale, threading\n"
        "def state(): return (dict(os.environ), os.getcwd(), threading.active_count(),"
        " sys.getswitchinterval(), locale.setlocale(locale.LC_ALL),"
        " [signal.getsignal(s) for s in signal.valid_signals()])\n"
        "before = state()\n"
        "from cotrain import clr; clr.start()\n"
        "print(before == state())\n"
    )
    assert lines(run_python(code)) == ["True"]


def test_the_folder_variable_is_made_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COTRAIN_ASSEMBLIES", os.path.relpath(bundled().parent))
    assert assemblies.directory() == bundled().parent
    monkeypatch.delenv("COTRAIN_ASSEMBLIES")
    assert assemblies.directory() == Path(assemblies.__file__).with_name("_assemblies")
