"""Every code block of the README and of docs/ is run: what it prints, or that it ends as it should.

A block's language says what it is: ``python`` a program, ``sh`` commands that must succeed (``exit 1`` in the comment
of a line: with that code), ``console`` a transcript that must come out again to the letter (a line ``...`` stands for
any lines), ``text`` no code.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from lockstep.command import ROOT, environment
from numpy._core._multiarray_umath import __cpu_features__ as features

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
"""On which ``python`` is the one that runs the tests."""
LANGUAGES = {"python", "sh", "console", "text", "csharp", "xml", "toml", "ini"}


class Block(NamedTuple):
    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks() -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(r"^( *)```(\w*)\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL):
            body = re.sub(f"^{match[1]}", "", match[3], flags=re.MULTILINE)
            found.append(Block(page, text[: match.start()].count("\n") + 1, match[2], body))
    return found


ALL = blocks()


def of(language: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", [block for block in ALL if block.language == language], ids=str)


def run(command: list[str], folder: Path, timeout: int = 240) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=environment({"PATH": PATH}),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like the checkout, where commands may leave files behind."""
    for entry in ROOT.iterdir():
        if entry.name != ".git":
            (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


def test_every_block_says_what_it_is() -> None:
    assert [str(block) for block in ALL if block.language not in LANGUAGES] == []


@of("python")
def test_programs(block: Block, tmp_path: Path) -> None:
    done = run([sys.executable, "-c", block.text], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not features.get("X86_V3"), reason="the transcripts are of a processor with AVX2")
@pytest.mark.skipif(os.name == "nt", reason="the transcripts are of a POSIX shell")
@of("console")
def test_transcripts(block: Block, checkout: Path) -> None:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        done = run(["bash", "-c", f"{command} 2>/dev/null"], checkout)
        if re.search(r"^\.\.\.$", output, re.MULTILINE):
            wanted = re.escape(output).replace(re.escape("...\n"), "(?:.*\n)*?")
            assert re.fullmatch(wanted, done.stdout), done.stdout
        else:
            assert done.stdout == output


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="the commands are of a POSIX shell")
@of("sh")
def test_commands(block: Block, checkout: Path) -> None:
    library = run([sys.executable, "-c", "from cotrain import blas; print(blas.find().path)"], checkout).stdout.strip()
    for line in block.text.splitlines():
        command, _, comment = line.partition("  #")
        if command.startswith("cd "):
            checkout /= command.removeprefix("cd ").strip()
            continue
        if not command.strip() or command.strip() == "scripts/test":  # itself
            continue
        wanted = re.search(r"exit (\d+)", comment)
        done = run(["bash", "-c", re.sub(r"\bFILE\b", library, command)], checkout, timeout=900)
        assert done.returncode == (int(wanted[1]) if wanted else 0), f"{command}\n{done.stdout}\n{done.stderr}"


def test_the_api_page_is_current() -> None:
    done = run([sys.executable, str(ROOT / "scripts" / "_api.py")], ROOT)
    assert done.stdout == (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), "run scripts/_api.py > docs/api.md"


def test_every_link_between_the_pages_leads_somewhere() -> None:
    links = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target
    ]
    broken = [f"{page.name}: {target}" for page, target in links if not (page.parent / target).exists()]
    assert broken == []


def test_the_index_has_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in PAGES if page.parent.name == "docs" and f"({page.name})" not in index]
    assert missing == ["README.md"]
