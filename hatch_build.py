"""The build hook of the wheel: compile the C# side and put its assemblies into the package."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags


class AssembliesBuildHook(BuildHookInterface[Any]):
    """Puts the published C# side into ``cotrain/clr/_assemblies`` of a wheel. Editable: compiles nothing."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling what to add and which tag the wheel gets."""
        if version == "editable":
            return
        sys.path.insert(0, os.path.join(self.root, "scripts"))
        import _dotnet
        from _process import SetupError

        self.temporary = tempfile.mkdtemp(prefix="cotrain-build-")
        output = os.path.join(self.temporary, "publish")
        try:
            _dotnet.publish(self.root, output, os.path.join(self.temporary, "artifacts"))
        except SetupError as error:
            shutil.rmtree(self.temporary)
            self.app.abort(f"cotrain: {error}")
        build_data["force_include"][output] = "cotrain/clr/_assemblies"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the compiler made."""
        if version != "editable":
            shutil.rmtree(self.temporary, ignore_errors=True)


def platform_tag() -> str:
    """This platform, in its plain form: ``linux_x86_64``, ``win_amd64``, ``macosx_14_0_arm64``.

    The assemblies themselves run anywhere; they are tried out against one platform's numpy and .NET.
    No manylinux tag: it would promise something about a C library, and there is no C code here.
    """
    platforms = (tag.platform for tag in sys_tags())
    return next(name for name in platforms if not name.startswith(("manylinux", "musllinux")))
