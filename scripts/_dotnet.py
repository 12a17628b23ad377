"""Compile the C# side. Used by the scripts in a checkout and by the build hook of the wheel."""

from __future__ import annotations

import os
import re
import shutil

from _process import SetupError, run

PROJECT = os.path.join("dotnet", "MnistMlp", "MnistMlp.csproj")
"""Its publish output holds everything: the bridge and NumSharp are its dependencies."""

NEEDED = ("MnistMlp.dll", "NumSharpBridge.dll", "NumSharp.dll")

SDK_VERSION = 10

HOW_TO_GET = (
    "get it from https://dotnet.microsoft.com/download/dotnet/10.0, or with your package manager "
    "(apt install dotnet-sdk-10.0, brew install dotnet-sdk, winget install Microsoft.DotNet.SDK.10)"
)


def environment() -> dict[str, str]:
    """The environment for dotnet commands: English, no telemetry, no server that outlives the command."""
    return {
        **os.environ,
        "DOTNET_NOLOGO": "1",
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_CLI_UI_LANGUAGE": "en",
        "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
        "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
        "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
        "MSBUILDDISABLENODEREUSE": "1",
    }


QUIET = ("-nologo", "-tl:off", "-v:quiet", "--disable-build-servers", "-nodeReuse:false")


def find_sdk() -> str:
    """The path of a ``dotnet`` that has an SDK new enough; SetupError with what to do if there is none."""
    dotnet = shutil.which("dotnet") or shutil.which("dotnet", path=os.environ.get("DOTNET_ROOT", ""))
    if dotnet is None:
        raise SetupError(
            "the C# side has to be compiled, but there is no dotnet on PATH: "
            f"it needs the .NET SDK {SDK_VERSION} or newer; {HOW_TO_GET}"
        )
    listed = run([dotnet, "--list-sdks"], env=environment())
    versions = re.findall(r"^(\d+)(\.\S+) \[", listed.text, re.MULTILINE)
    if not any(int(major) >= SDK_VERSION for major, _ in versions):
        found = "only " + ", ".join(major + rest for major, rest in versions) if versions else "no SDK at all"
        raise SetupError(
            f"the C# side has to be compiled with the .NET SDK {SDK_VERSION} or newer, "
            f"but {dotnet} has {found}; {HOW_TO_GET}"
        )
    return dotnet


def publish(root: str, output: str, artifacts: str, keep_open: int | None = None) -> None:
    """Compile the trainer with all it needs into ``output``.

    ``artifacts`` takes the intermediate files, so that the project folders of a checkout stay as they
    are. Raises SetupError with the compiler's messages.
    """
    dotnet = find_sdk()
    command = [dotnet, "publish", os.path.join(root, PROJECT), "-c", "Release", "-o", output]
    command += ["--artifacts-path", artifacts, *QUIET]
    result = run(command, env=environment(), cwd=root, keep_open=keep_open)
    if result.code != 0:
        lines = result.text.splitlines()
        errors = list(dict.fromkeys(line.strip() for line in lines if re.search(r"\berror\b", line)))
        details = "\n  ".join(errors or lines[-20:])
        raise SetupError(f"the C# side could not be built (dotnet publish {PROJECT}):\n  {details}")
    missing = [name for name in NEEDED if not os.path.exists(os.path.join(output, name))]
    if missing:
        raise SetupError(f"dotnet publish {PROJECT} succeeded but did not make {', '.join(missing)}")
