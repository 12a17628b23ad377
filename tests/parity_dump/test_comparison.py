"""Two folders of stage files: equal, or named file by file with the first element that differs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cotrain.errors import CotrainError
from cotrain.parity_dump.__main__ import main
from cotrain.parity_dump.comparison import compare


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two equal ones."""
    for folder in ("a", "b"):
        for stage, name in (("S0", "init.w"), ("S2", "fc.output")):
            (tmp_path / folder / stage).mkdir(parents=True, exist_ok=True)
            np.save(tmp_path / folder / stage / f"{name}.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    return tmp_path / "a", tmp_path / "b"


def test_equal_folders(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(each) for each in folders]) == 0
    assert capsys.readouterr().out == "equal: 2 files, 304 bytes\n"


def test_the_first_element_that_differs(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    changed = np.load(folders[1] / "S2" / "fc.output.npy")
    changed[1, 0] = np.nextafter(changed[1, 0], np.float32(9))
    np.save(folders[1] / "S2" / "fc.output.npy", changed)
    assert main([str(each) for each in folders]) == 1
    assert capsys.readouterr().out == (
        "S2/fc.output.npy: 1 of 6 elements differ, first [1, 0]: 0x40400000 and 0x40400001\ndiffer: 1 of 2 files\n"
    )


def test_a_negative_zero_is_a_difference(folders: tuple[Path, Path]) -> None:
    changed = np.load(folders[1] / "S0" / "init.w.npy")
    changed[0, 0] = -0.0
    np.save(folders[1] / "S0" / "init.w.npy", changed)
    assert "0x00000000 and 0x80000000" in compare(*folders).differences[0].reason


def test_a_file_that_one_side_lacks(folders: tuple[Path, Path]) -> None:
    (folders[0] / "S0" / "init.w.npy").unlink()
    assert [(one.file, one.reason) for one in compare(*folders).differences] == [
        ("S0/init.w.npy", f"only in {folders[1]}")
    ]


def test_another_dtype_and_a_header_of_its_own(folders: tuple[Path, Path]) -> None:
    np.save(folders[1] / "S0" / "init.w.npy", np.zeros((2, 3)))
    with (folders[1] / "S2" / "fc.output.npy").open("wb") as file:
        np.lib.format.write_array(file, np.load(folders[0] / "S2" / "fc.output.npy"), version=(2, 0))
    reasons = [one.reason for one in compare(*folders).differences]
    assert reasons == ["float32[2, 3] and float64[2, 3]", "the arrays are equal, the files' headers differ"]


def test_a_file_that_is_no_array(folders: tuple[Path, Path]) -> None:
    (folders[1] / "S0" / "init.w.npy").write_bytes(b"nothing")
    assert "init.w.npy is no array file: " in compare(*folders).differences[0].reason


def test_folders_without_files(folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CotrainError, match=r"nowhere is no folder; --parity-dump writes one"):
        compare(folders[0], tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert main([str(folders[0]), str(tmp_path / "empty")]) == 2
    assert capsys.readouterr().err == (
        f"cotrain: {tmp_path / 'empty'} holds no .npy files: there is nothing to compare\n"
    )
