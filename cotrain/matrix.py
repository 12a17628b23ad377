"""``python -m cotrain.matrix``: the same lockstep under other BLAS kernels, thread counts, CPU features, vector widths.

A run on one machine in one setting says little about the next. Each row is a process of its own: what may change
bits is set by environment variables that are read when a library is loaded.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from cotrain.errors import CotrainError, ExitCode
from cotrain.pins import VARIABLES

_KERNELS = {
    "SkylakeX": ("AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL"),
    "Haswell": ("AVX2", "FMA3"),
    "Sandybridge": ("AVX",),
    "Nehalem": ("SSE42",),
    "Katmai": (),
}
"""OpenBLAS kernels for x86 and what they need of the processor: asked for without it, they crash."""
_FEATURES = ("X86_V4", "X86_V3 X86_V4")
_WIDTHS = ("DOTNET_EnableAVX512", "DOTNET_EnableAVX2", "DOTNET_EnableAVX", "DOTNET_EnableHWIntrinsic")
_COLUMNS = (
    "gemm",
    "setting",
    "kernel",
    "threads",
    "dispatch",
    ".NET vectors",
    "verdict",
    "weights",
    "first difference",
)


@dataclass(frozen=True)
class Setting:
    """A row: what is set for it."""

    gemm: str
    variables: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join(
            f"{name}={value!r}" if " " in value else f"{name}={value}" for name, value in self.variables.items()
        )


def settings(gemms: Sequence[str]) -> Iterator[Setting]:
    """Every setting that this processor can run, each gemm in turn."""
    umath = importlib.import_module("numpy._core._multiarray_umath")
    dispatch, features = umath.__cpu_dispatch__, umath.__cpu_features__
    for gemm in gemms:
        yield Setting(gemm)
        for kernel, needs in _KERNELS.items():
            if features.get("SSE") and all(features.get(need) for need in needs):
                yield Setting(gemm, {"OPENBLAS_CORETYPE": kernel})
        if gemm == "sequential":
            for threads in ("1", "2"):
                yield Setting(gemm, {"OPENBLAS_NUM_THREADS": threads})
        for names in _FEATURES:
            if all(name in dispatch and features.get(name) for name in names.split()):
                yield Setting(gemm, {"NPY_DISABLE_CPU_FEATURES": names})
        yield Setting(gemm, {"DOTNET_PreferredVectorBitWidth": "512"})
        for name in _WIDTHS:
            if gemm != "sequential" or name != "DOTNET_EnableHWIntrinsic":  # would take half an hour
                yield Setting(gemm, {name: "0"})


def run(setting: Setting, arguments: Sequence[str]) -> dict[str, Any]:
    """The JSON report of ``python -m cotrain.lockstep`` in that setting; CotrainError when there is none."""
    # What the caller's environment says about these would mix two settings.
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        command = [sys.executable, "-P", "-m", "cotrain.lockstep", "--quiet", "--gemm", setting.gemm]
        done = subprocess.run(
            [*command, "--json", str(file), *arguments],
            env=environment | setting.variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        try:
            report: dict[str, Any] = json.loads(file.read_text())
        except (OSError, ValueError):
            said = done.stderr.strip().splitlines()
            reason = said[-1].removeprefix("cotrain: ") if said else f"it ended with exit code {done.returncode}"
            raise CotrainError(reason, ExitCode.UNSUPPORTED) from None
    return report


def row(setting: Setting, report: dict[str, Any]) -> tuple[str, ...]:
    """A report as a line of the table."""
    pins = report["pins"]
    blas, dotnet = pins.get("blas", {}), pins.get("dotnet", {})
    first = next((each for each in report["divergences"] if not each["accepted"]), None)
    where = (
        ""
        if first is None
        else f"step {first['step']}, {first['tap']} ({'origin' if first['origin'] else 'inherited'})"
    )
    return (
        setting.gemm,
        str(setting) or "as it is",
        str(blas.get("kernel", "-")),
        str(blas.get("threads", "-")),
        str(pins.get("numpy", {}).get("dispatch", "-")),
        f"{dotnet.get('vector_bits', '-')} bit",
        f"{report['verdict']}, {report['steps']:,} steps",
        _weights(report["weights_sha256"]),
        report["error"] or where,
    )


def _weights(hashes: dict[str, dict[str, str]]) -> str:
    """A short hash of all parameters; two when the sides differ."""
    sides = {side: hashlib.sha256() for side in ("reference", "candidate")}
    for name in sorted(hashes):
        for side, digest in sides.items():
            digest.update(bytes.fromhex(hashes[name][side]))
    short = [digest.hexdigest()[:12] for digest in sides.values()] if hashes else []
    return " | ".join(dict.fromkeys(short))


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: all equal on both sides; 1: some diverged; 2: bad usage; 3: a setting that cannot run."""
    parser = argparse.ArgumentParser(
        prog="python -m cotrain.matrix",
        description="Run the lockstep under every BLAS kernel, thread count, CPU feature set and .NET vector width "
        "that this machine has. Other options are handed to python -m cotrain.lockstep.",
        epilog="exit codes: 0 the sides are equal in every setting; 1 some diverged; 2 bad usage; 3 some could not run",
        allow_abbrev=False,
    )
    parser.add_argument("--gemm", default="openblas,sequential", metavar="NAME,...", help="default: %(default)s")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options, others = parser.parse_known_args(arguments)
    rows, codes = [], set()
    console = Console(stderr=True)
    todo = list(settings(options.gemm.split(",")))
    for number, setting in enumerate(todo, 1):
        doing = f"{number} of {len(todo)}: {setting.gemm} {setting}".rstrip()
        if not console.is_terminal:
            print(doing, file=sys.stderr, flush=True)
        with console.status(doing):
            try:
                report = run(setting, others)
                rows.append(row(setting, report))
                codes.add(report["exit_code"])
            except CotrainError as error:
                rows.append(
                    (setting.gemm, str(setting) or "as it is", "-", "-", "-", "-", "cannot run", "", str(error))
                )
                codes.add(int(error.exit_code))
    _print(rows, markdown=options.markdown)
    return max(codes, default=0)


def _print(rows: list[tuple[str, ...]], *, markdown: bool) -> None:
    if markdown:
        for line in (_COLUMNS, ("---",) * len(_COLUMNS), *rows):
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |")
        return
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for line in rows:
        table.add_row(*line)
    Console(width=None if sys.stdout.isatty() else 200).print(table)


if __name__ == "__main__":
    sys.exit(main())
