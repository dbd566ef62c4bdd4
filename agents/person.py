"""A person at another terminal: commands that are run while a program works, in the environment of nobody's session."""

from __future__ import annotations

import math
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 0.2
PUSH_SECONDS = 2
SECONDS_MAX = 80
"""A command ends within this; a story has a little more."""


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    command: str
    at: float
    """When it began."""
    until: float
    exit: int
    output: str


class Person:
    """Runs commands of a shell in the project, one after the other, or beside what happens meanwhile."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.done: list[Done] = []
        self.lock = threading.Lock()
        self.beside_threads: list[threading.Thread] = []

    def run(self, command: str) -> Done:
        at = time.time()
        try:
            ended = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS_MAX,
            )
            done = Done(command, at, time.time(), ended.returncode, ended.stdout)
        except subprocess.TimeoutExpired as late:
            done = Done(command, at, time.time(), 124, str(late.stdout or ""))
        with self.lock:
            self.done.append(done)
        return done

    def beside(self, command: str) -> None:
        """Begins it, and does not wait."""
        thread = threading.Thread(target=self.run, args=(command,), daemon=True)
        self.beside_threads.append(thread)
        thread.start()

    def until(self, command: str, seconds: float, push: Callable[[], None] = lambda: None) -> bool:
        """Repeats a command until it ends well, with a push now and then; says whether it did within that time."""
        end = time.monotonic() + seconds
        pushed = -math.inf
        while time.monotonic() < end:
            if time.monotonic() - pushed >= PUSH_SECONDS:
                push()
                pushed = time.monotonic()
            if self.run(command).exit == 0:
                return True
            time.sleep(LOOK_SECONDS)
        return False

    def finish(self) -> None:
        """Waits for all that runs beside."""
        for thread in self.beside_threads:
            thread.join()
