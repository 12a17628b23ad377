"""Which OpenBLAS is NumPy's, and its threads."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cotrain import blas
from cotrain.errors import CotrainError, ExitCode


def python(program, **variables):
    """What a program prints in a process of its own that has not imported anything."""
    environment = {name: value for name, value in os.environ.items() if name != blas.THREADS_VARIABLE}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_find():
    library = blas.find()
    assert library.path.is_file()
    assert "openblas" in library.path.name
    assert library.version[0].isdigit()
    assert library.architecture
    assert library.threads >= 1
    assert library.sha256 == hashlib.sha256(library.path.read_bytes()).hexdigest()
    assert library == blas.find()


def test_a_second_copy_in_the_process_is_passed_over(tmp_path):
    from threadpoolctl import threadpool_info

    ours = blas.find().path
    copy = tmp_path / ours.name
    shutil.copyfile(ours, copy)
    # The libraries that it needs are found by its own folder.
    for needed in ours.parent.iterdir():
        if needed != ours:
            (tmp_path / needed.name).symlink_to(needed)
    ctypes.CDLL(str(copy))
    assert str(copy) in [one["filepath"] for one in threadpool_info()]
    assert blas.find().path == ours


def test_importing_does_not_import_numpy():
    program = "import sys, cotrain.blas; print('numpy' in sys.modules)"
    assert python(program) == ["False"]


SET = "from cotrain import blas; print(blas.set_single_thread()); print(blas.find().threads)"


def test_one_thread_before_numpy_is_imported():
    assert python(SET) == ["None", "1"]
    assert python(SET, OPENBLAS_NUM_THREADS="2") == ["2", "1"]
    assert python(SET, OPENBLAS_NUM_THREADS="many") == ["None", "1"]


def test_one_thread_after_numpy_is_imported():
    assert python(f"import numpy; {SET}; print(blas.set_single_thread())", OPENBLAS_NUM_THREADS="2") == [
        "2",
        "1",
        "1",
    ]


def test_without_an_openblas(monkeypatch):
    import threadpoolctl

    other = SimpleNamespace(internal_api="mkl", filepath="libmkl_rt.so")
    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", lambda: SimpleNamespace(lib_controllers=[other]))
    built = {"Build Dependencies": {"blas": {"name": "mkl-sdl", "found": True}}}
    monkeypatch.setattr(np, "show_config", lambda mode: built)
    with pytest.raises(CotrainError, match="was built with the BLAS 'mkl-sdl'") as raised:
        blas.find()
    assert raised.value.exit_code == ExitCode.UNSUPPORTED
    with pytest.raises(CotrainError, match=f"pip install .*numpy=={np.__version__}"):
        blas.set_single_thread()
    built["Build Dependencies"]["blas"] = {"name": "none"}
    with pytest.raises(CotrainError, match="was built without a BLAS"):
        blas.find()


def test_a_numpy_without_blas_beside_a_foreign_openblas(monkeypatch):
    """SciPy's copy is there, and NumPy does not call it."""
    monkeypatch.setattr(blas, "_address_of_sgemm", lambda path: None)
    with pytest.raises(CotrainError, match="no OpenBLAS that it calls is loaded"):
        blas.find()


def test_on_windows_the_place_tells(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert blas.find().path.parent == Path(np.__file__).parent.parent / "numpy.libs"
