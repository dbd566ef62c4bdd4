"""What a story is, and the steps that stories of several kinds take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from model import Part
from programs import PROGRAMS
from room import AGENTS, Room, Run


@dataclass(frozen=True)
class Story:
    """One promise, and what shows it with a real program. It raises AssertionError where the promise is broken."""

    program: str
    sentence: str
    play: Callable[[Room], None]
    others: tuple[str, ...] = ()
    """Further programs that take part."""
    tools: tuple[str, ...] = ()
    """Commands of the machine that it needs beside those of every story."""

    @property
    def name(self) -> str:
        return f"{self.program}: {self.sentence}"

    @property
    def programs(self) -> tuple[str, ...]:
        return (self.program, *self.others)


def need(holds: bool, problem: str, run: Run | None = None) -> None:
    if not holds:
        said = f"\n{run.output[-600:].strip()}" if run else ""
        raise AssertionError(problem + said)


def shell(program: str, command: str) -> Part:
    tool, field = {
        "claude": ("Bash", "command"),
        "codex": ("exec_command", "cmd"),
        "gemini": ("run_shell_command", "command"),
    }.get(program, ("bash", "command"))
    described = {"description": "a step of a story"} if program in ("copilot", "opencode", "claude") else {}
    # Codex goes on after a second, unless it is told how long a command may take.
    patient = {"yield_time_ms": 60_000} if program == "codex" else {}
    return ["call", tool, {field: command, **described, **patient}]


def reading(program: str, path: Path) -> Part:
    """A tool that reads a file; Codex has none but the shell."""
    tool, field = {
        "claude": ("Read", "file_path"),
        "gemini": ("read_file", "file_path"),
        "copilot": ("view", "path"),
        "opencode": ("read", "filePath"),
    }.get(program, ("", ""))
    return ["call", tool, {field: str(path)}] if tool else shell(program, f"head -n 5 {path}")


def writing(program: str, path: Path) -> Part:
    """A tool that changes a file."""
    text = "changed by an agent\n"
    if program == "codex":
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-this line was frozen\n+{text}*** End Patch"
        return ["patch", "apply_patch", patch]
    return {
        "claude": ["call", "Write", {"file_path": str(path), "content": text}],
        "gemini": ["call", "write_file", {"file_path": str(path), "content": text}],
        "copilot": ["call", "edit", {"path": str(path), "old_str": "this line was frozen", "new_str": text}],
        "opencode": ["call", "edit", {"filePath": str(path), "oldString": "this line was frozen", "newString": text}],
    }[program]


def install(room: Room, program: str = "") -> None:
    """What a person does: `rsm setup`, and trusts the hooks where the program wants that."""
    room.rsm("setup", program or room.program, "--yes", "--quiet")
    trust(room, program or room.program)


def trust(room: Room, program: str) -> None:
    if program == "codex":
        config = room.home / ".codex/config.toml"
        command = ["python3", str(AGENTS / "codex_trust.py"), *PROGRAMS["codex"].command(), str(room.project), str(config)]
        run = room.inside(command, [])
        need(run.exit == 0 and "trusted" in run.output, "codex does not say whether it trusts our hooks", run)
    elif program == "copilot":
        (room.home / ".copilot").mkdir(exist_ok=True)
        (room.home / ".copilot/config.json").write_text(f'{{"trusted_folders": ["{room.project}"]}}\n')
