"""What the real programs must show, a function a story. A story raises AssertionError where a promise is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from model import Part
from programs import PROGRAMS
from room import AGENTS, FREE, SECRET, Room, Run


@dataclass(frozen=True)
class Story:
    program: str
    sentence: str
    play: Callable[[Room], None]

    @property
    def name(self) -> str:
        return f"{self.program}: {self.sentence}"


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
    return ["call", tool, {field: command, **described}]


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


def steps(room: Room) -> list[list[Part]]:
    """Reads by a tool, reads by a shell, changes a file, and reads one that nobody locked, each in an answer of its own."""
    frozen = room.project / "frozen/kept.txt"
    # Some tools change only what was read before.
    calls = (
        reading(room.program, room.project / "secret/key.txt"),
        shell(room.program, "cat secret/key.txt"),
        reading(room.program, frozen),
        writing(room.program, frozen),
        reading(room.program, room.project / "free.txt"),
    )
    return [[call] for call in calls]


def install(room: Room, *options: str) -> None:
    """What a person does: `rsm setup`, and trusts the hooks where the program wants that."""
    room.rsm("setup", room.program, "--yes", "--quiet", *options)
    trust(room)


def trust(room: Room) -> None:
    if room.program == "codex":
        config = room.home / ".codex/config.toml"
        command = ["python3", str(AGENTS / "codex_trust.py"), *PROGRAMS["codex"].command(), str(room.project), str(config)]
        run = room.inside(command, [])
        need(run.exit == 0 and "trusted" in run.output, "codex does not say whether it trusts our hooks", run)
    elif room.program == "copilot":
        (room.home / ".copilot").mkdir(exist_ok=True)
        (room.home / ".copilot/config.json").write_text(f'{{"trusted_folders": ["{room.project}"]}}\n')


def holds(room: Room, run: Run) -> None:
    need(bool(run.requests), "the model was asked nothing", run)
    need(not run.leaked(), "the model was told what nobody may read", run)
    need(room.frozen_is_whole(), "a file was changed that nobody may change", run)


def without_a_hook_everything_goes_through(room: Room) -> None:
    """The control: a laboratory that finds nothing proves nothing."""
    if room.program != "codex":
        trust(room)
    run = room.ask(steps(room))
    need(run.leaked(), "the model was not told the secret, though nothing stands before it", run)
    need(not room.frozen_is_whole(), "the file was not changed, though nothing stands before it", run)


def locks_hold(room: Room) -> None:
    room.lock()
    install(room)
    run = room.ask(steps(room))
    holds(room, run)
    need(FREE in run.told(), "a file that nobody locked could not be read", run)
    need("do-not-read" in run.told() and "do-not-alter" in run.told(), "the model was not told which lock holds", run)
    # What .geminiignore names, Gemini refuses before it asks a hook.
    expected = 2 if room.program == "gemini" else 3
    blocked = room.blocked()
    need(blocked >= expected, f"found {blocked} events of the lock, expected {expected}", run)


def a_launcher_that_is_gone(room: Room) -> None:
    stopped_by(room, lambda: room.launch_by(None))


def a_launcher_that_can_not_be_run(room: Room) -> None:
    stopped_by(room, lambda: room.launch_script("#!/bin/sh\nexit 0\n", 0o644))


def a_launcher_that_fails(room: Room) -> None:
    stopped_by(room, lambda: room.launch_script("#!/bin/sh\nexit 1\n"))


def a_launcher_that_is_killed(room: Room) -> None:
    stopped_by(room, lambda: room.launch_script("#!/bin/sh\nkill -9 $$\n"))


def stopped_by(room: Room, damage: Callable[[], None]) -> None:
    room.lock()
    install(room)
    damage()
    holds(room, room.ask(steps(room)[:4]))


def a_path_in_a_prompt(room: Room) -> None:
    """The program reads it by itself, and asks no hook."""
    leaked = room.ask([], prompt="look at @secret/key.txt")
    need(leaked.leaked(), "the path in the prompt was not read, though nothing stands before it", leaked)
    room.lock()
    install(room)
    run = room.ask([], prompt="look at @secret/key.txt and @free.txt")
    holds(room, run)
    need(FREE in run.told(), "a file that nobody locked was not read", run)


def a_skill_that_runs_commands(room: Room) -> None:
    skill = room.project / ".claude/skills/leak/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: leak\ndescription: tells\n---\nhere: !`cat secret/key.txt`\n")
    script: list[list[Part]] = [[["call", "Skill", {"skill": "leak"}]]]
    leaked = room.ask(script)
    need(leaked.leaked(), "the skill ran nothing, though nothing stands before it", leaked)
    room.lock()
    install(room)
    holds(room, room.ask(script))


def a_shell_that_is_typed_into(room: Room) -> None:
    typed = {"session_id": r"$found:session ID (\d+)", "chars": "cat secret/key.txt\n", "yield_time_ms": 1000}
    script: list[list[Part]] = [
        [["call", "exec_command", {"cmd": "bash", "tty": True, "yield_time_ms": 500}]],
        [["call", "write_stdin", typed]],
    ]
    leaked = room.ask(script)
    need(leaked.leaked(), "nothing was typed into the shell, though nothing stands before it", leaked)
    room.lock()
    install(room)
    holds(room, room.ask(script))


def hooks_that_nobody_trusts_are_told(room: Room) -> None:
    room.lock()
    room.rsm("setup", "codex", "--yes", "--quiet")
    (room.bin / "codex").symlink_to(PROGRAMS["codex"].command()[0])
    before = room.inside(["rsm", "setup", "codex", "--check", "--quiet"], [])
    need(before.exit == 1 and "nobody has trusted them" in before.output, "setup --check does not say it", before)
    doctor = room.inside(["rsm", "doctor"], [])
    need("nobody has trusted them" in doctor.output, "doctor does not say it", doctor)
    trust(room)
    after = room.inside(["rsm", "setup", "codex", "--check", "--quiet"], [])
    need(after.exit == 0, "setup --check complains of hooks that are trusted", after)


def your_own_hooks_hold_without_trust(room: Room) -> None:
    room.lock()
    room.rsm("setup", room.program, "--yes", "--quiet", "--user")
    words = ("--skip-trust",) if room.program == "gemini" else ()
    run = room.ask(steps(room), words=words, more={"GEMINI_CLI_TRUST_WORKSPACE": ""})
    holds(room, run)
    need("do-not-read" in run.told(), "the model was not told which lock holds", run)


LOCKS: tuple[tuple[str, Callable[[Room], None]], ...] = (
    ("without a hook everything goes through (control)", without_a_hook_everything_goes_through),
    ("locks hold for a tool, a shell and a change, and the log has them", locks_hold),
    ("a launcher that is gone opens nothing", a_launcher_that_is_gone),
    ("a launcher that can't be run opens nothing", a_launcher_that_can_not_be_run),
    ("a launcher that fails opens nothing", a_launcher_that_fails),
    ("a launcher that is killed opens nothing", a_launcher_that_is_killed),
)

OWN: tuple[tuple[str, str, Callable[[Room], None]], ...] = (
    ("claude", "a path in a prompt is not read", a_path_in_a_prompt),
    ("claude", "a skill runs no commands by itself", a_skill_that_runs_commands),
    ("codex", "a shell with a terminal is not there to be typed into", a_shell_that_is_typed_into),
    ("codex", "hooks that nobody trusts are told by setup and doctor", hooks_that_nobody_trusts_are_told),
    ("gemini", "a path in a prompt is not read", a_path_in_a_prompt),
    ("gemini", "your own hooks hold with --skip-trust", your_own_hooks_hold_without_trust),
    ("copilot", "your own hooks hold in a folder that nobody trusts", your_own_hooks_hold_without_trust),
)

STORIES = [
    *(Story(program, sentence, play) for program in PROGRAMS for sentence, play in LOCKS),
    *(Story(*own) for own in OWN),
]
assert SECRET not in FREE
