"""A program in a terminal, as somebody who sits before it uses it: tmux types and shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from pathlib import Path

WIDTH, HEIGHT = 160, 50
CALL_SECONDS_MAX = 20
TYPING_SECONDS = 0.5
"""Between a text and Enter: a program takes what comes at once for something that was pasted."""


class Terminal:
    def __init__(self, socket: Path, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        # The path of a socket has few characters.
        self.place = socket.parent
        self.tmux = ["tmux", "-S", socket.name, "-f", "/dev/null"]
        self.environment = environment
        size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
        # A program that ends leaves its last screen.
        line = f"{shlex.join(command)}; echo; echo ended with $?; sleep 600"
        self.call("new-session", "-d", "-s", "agent", *size, "-c", str(folder), line)

    def call(self, *words: str) -> str:
        done = subprocess.run(
            [*self.tmux, *words],
            cwd=self.place,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=CALL_SECONDS_MAX,
        )
        return done.stdout

    def type(self, text: str) -> None:
        self.call("send-keys", "-t", "agent", "-l", "--", text)
        time.sleep(TYPING_SECONDS)

    def press(self, key: str) -> None:
        self.call("send-keys", "-t", "agent", key)

    def screen(self) -> str:
        return self.call("capture-pane", "-t", "agent", "-p")

    def shown(self, pattern: str, seconds: float) -> bool:
        """Whether the screen has it within that time."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.screen()):
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True

    def program(self) -> int:
        """The process of the program."""
        shell = self.call("display-message", "-t", "agent", "-p", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(children[0]) if children else int(shell)

    def close(self) -> None:
        self.call("kill-server")
