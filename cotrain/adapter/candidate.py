"""The candidate's side of a mapping: the assembly bound in .NET, and the reference's arrays handed over to it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from cotrain import clr
from cotrain.adapter.expressions import Constant, Path, Step
from cotrain.adapter.mapping import Mapping
from cotrain.adapter.places import Spot
from cotrain.clr import assemblies
from cotrain.clr.arrays import nd
from cotrain.clr.failures import translated
from cotrain.errors import CotrainError
from cotrain.protocol import ArrayLike

TRAINER = "NumSharpBridge.dll:Cotrain.Adapter.AdaptedTrainer"
"""The trainer that makes the calls, as ``--candidate`` would name it."""

_TURNS = 4
"""Arrays of a feed that each step brings; the reference is at most two steps ahead."""


class Candidate:
    """The assembly of a mapping, loaded and bound; a :class:`cotrain.adapter.selected.Supply`."""

    def __init__(self, mapping: Mapping) -> None:
        """CotrainError, naming line and key, for an assembly or a member that is not there."""
        if not mapping.assembly.is_file():
            raise CotrainError(f"{mapping.file.name}, assembly: there is no file {mapping.assembly}")
        assembly = clr.load_assembly(mapping.assembly)
        system = assemblies.namespace("System")
        types = system.Array[system.Type](len(mapping.objects))
        for index, each in enumerate(mapping.objects):
            try:
                types[index] = assemblies.find_type(assembly, each.type, mapping.assembly.name)
            except CotrainError as error:
                raise CotrainError(f"{each.at.text}: {error}", error.exit_code) from None
        with translated():
            self._adaptation = assemblies.namespace("Cotrain.Adapter").Adaptation(json.dumps(plan(mapping)), types)
        self._rings: dict[str, list[ArrayLike]] = {}

    @property
    def options(self) -> dict[str, str]:
        """What the trainer's options say beyond the pair's."""
        return {"adapter": str(self._adaptation.Key)}

    def give(self, name: str, value: ArrayLike) -> None:
        """A parameter's or a feed's array of before step 0. The candidate owns it from now on."""
        self._adaptation.Give(name, nd(value))

    def give_step(self, name: str, step: int, value: ArrayLike) -> None:
        """A feed's array of a step; copied, so that neither side sees what the other does with it.

        Made in step 0, when the candidate stands still; CotrainError for another dtype or shape later.
        """
        ring = self._rings.get(name)
        if ring is None:
            ring = self._rings[name] = [np.empty_like(value) for _ in range(_TURNS)]
            turns = assemblies.namespace("System").Array[assemblies.namespace("NumSharp").NDArray](_TURNS)
            for turn, array in enumerate(ring):
                turns[turn] = nd(array)
            self._adaptation.GiveRing(name, turns)
        target = ring[step % _TURNS]
        if (target.shape, target.dtype) != (value.shape, value.dtype):
            raise CotrainError(
                f"the feed {name} is {value.dtype.name}{list(value.shape)} in step {step}, "
                f"{target.dtype.name}{list(target.shape)} before: its shape must not change"
            )
        np.copyto(target, value)

    def close(self) -> None:
        """Forgets the binding when no trainer was made of it."""
        self._adaptation.Close()


def plan(mapping: Mapping) -> dict[str, Any]:
    """The mapping as ``AdapterPlan.cs`` reads it."""
    return {
        "file": str(mapping.file),
        "objects": [
            {"name": each.name, "type": each.type, "arguments": _arguments(each.arguments), "at": _spot(each.at)}
            for each in mapping.objects
        ],
        "feeds": [
            {"name": each.name, "tap": f"feed.{each.name}", "batches": each.batches, "at": _spot(each.at)}
            for each in mapping.feeds
        ],
        "parameters": [
            {"name": each.name, "tap": each.initial, "path": _path(each.path), "at": _spot(each.at)}
            for each in mapping.parameters
        ],
        "calls": [
            {
                "target": each.call and _path(each.call.target),
                "method": each.call and each.call.method,
                "arguments": _arguments(each.call.arguments) if each.call else [],
                "result": each.result,
                "taps": [{"name": tap.name, "path": _path(tap.path), "at": _spot(tap.at)} for tap in each.taps],
                "at": _spot(each.at),
            }
            for each in mapping.calls
        ],
    }


def _spot(at: Spot) -> dict[str, Any]:
    return {"line": at.line, "text": at.text}


def _path(path: Path) -> dict[str, Any]:
    return {"root": path.root, "steps": [_step(step) for step in path.steps]}


def _step(step: Step) -> dict[str, Any]:
    return {"member": step.member, "key": step.key, "index": step.index}


def _arguments(arguments: tuple[Path | Constant, ...]) -> list[dict[str, Any]]:
    return [_argument(each) for each in arguments]


def _argument(value: Path | Constant) -> dict[str, Any]:
    if isinstance(value, Path):
        return {"path": _path(value)}
    kind = {bool: "truth", int: "whole", float: "number", str: "text"}[type(value)]
    return {kind: value}
