"""Real agent programs against a scripted model: do locks hold in them, and does mail reach them?

``./test --agents`` runs this file; README.md in this folder says what it proves.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import locks
import mail
from programs import PROGRAMS, Missing, require, require_machine
from room import CHECKOUT, Room, require_namespaces
from story import Story

EXIT_FAILED = 1
EXIT_DID_NOT_RUN = 77
TARGET = CHECKOUT / "target" / "agents"
STORIES = [*locks.STORIES, *mail.STORIES]


def say(text: str) -> None:
    print(text, flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./test --agents", description="Real agent programs, and a scripted model.")
    parser.add_argument("programs", metavar="PROGRAM", nargs="*", help=f"only these: {', '.join(PROGRAMS)}")
    parser.add_argument("--story", default="", help="only stories with this text in their name")
    parser.add_argument("--keep", action="store_true", help="keep what was asked and answered, under target/agents")
    arguments = parser.parse_args()
    for name in arguments.programs:
        if name not in PROGRAMS:
            parser.error(f"{name} is no program here, expected {', '.join(PROGRAMS)}")
    return arguments


def chosen_stories(arguments: argparse.Namespace) -> list[Story]:
    return [
        story
        for story in STORIES
        if (not arguments.programs or any(name in arguments.programs for name in story.programs))
        and arguments.story in story.name
    ]


def missing(stories: list[Story]) -> dict[str, str]:
    """Which programs can't be run here, and why."""
    names = dict.fromkeys(name for story in stories for name in story.programs)
    try:
        require_machine()
        for tool in ("git", "mount"):
            require(tool)
        require_namespaces()
    except Missing as problem:
        return {name: str(problem) for name in names}
    found: dict[str, str] = {}
    for name in names:
        try:
            PROGRAMS[name].install()
            PROGRAMS[name].command()
        except Missing as problem:
            found[name] = str(problem)
    return found


def lacks(story: Story, absent: dict[str, str]) -> str:
    """What keeps a story from being played here, beside programs that were told of; empty if nothing does."""
    try:
        for tool in story.tools:
            require(tool)
    except Missing as problem:
        return str(problem)
    return ", ".join(f"{name} did not run" for name in story.programs if name in absent)


def play(story: Story, folder: Path) -> str:
    """Why it failed; empty if it did not."""
    started = time.monotonic()
    try:
        story.play(Room(folder, story.program, story.others))
        problem = ""
    except (AssertionError, subprocess.TimeoutExpired) as failure:
        problem = str(failure) or "a check failed"
    say(f"{'failed' if problem else 'ok':6} {time.monotonic() - started:5.1f} s  {story.name}")
    if problem:
        say(problem)
    return problem


def run_all(stories: list[Story], folder: Path) -> int:
    absent = missing(stories)
    for name, why in absent.items():
        say(f"  did not run: {name} {PROGRAMS[name].version} ({why})")
    here = []
    for story in stories:
        why = lacks(story, absent)
        if not why:
            here.append(story)
        elif story.program not in absent:
            say(f"  did not run: {story.name} ({why})")
    failed = [story for number, story in enumerate(here) if play(story, folder / str(number))]
    for story in failed:
        say(f"problem: {story.name}")
    say(f"{len(here) - len(failed)} passed, {len(failed)} failed, {len(stories) - len(here)} skipped")
    if failed:
        return EXIT_FAILED
    return EXIT_DID_NOT_RUN if len(here) < len(stories) else 0


def main() -> int:
    arguments = read_arguments()
    # A program is ended where its story is, whatever ends this one.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, frame: sys.exit(128 + number))
    if subprocess.run([CHECKOUT / "rsm", "--version"], stdin=subprocess.DEVNULL).returncode != 0:
        say("agents: error: ./rsm does not start")
        return EXIT_FAILED
    folder = TARGET / f"run-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        return run_all(chosen_stories(arguments), folder)
    finally:
        if arguments.keep:
            say(f"agents: kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
