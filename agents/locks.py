"""Locks hold in the real programs: a function a story."""

from __future__ import annotations

from collections.abc import Callable

from model import Part
from programs import PROGRAMS
from room import FREE, Room, Run
from story import Story, install, need, reading, shell, trust, writing


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


def holds(room: Room, run: Run) -> None:
    need(bool(run.requests), "the model was asked nothing", run)
    need(not run.leaked(), "the model was told what nobody may read", run)
    need(room.frozen_is_whole(), "a file was changed that nobody may change", run)


def without_a_hook_everything_goes_through(room: Room) -> None:
    """The control: a laboratory that finds nothing proves nothing."""
    if room.program != "codex":
        trust(room, room.program)
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
    trust(room, "codex")
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
