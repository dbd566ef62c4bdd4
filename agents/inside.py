"""Runs one program in the namespaces that `room.py` made: loopback up, the scripted model on it, no settings of the user.

    inside.py ORDER

ORDER is a file of JSON: {scripts, log, command, environment, persons, folder, covered, acts, terminal, done}. Without acts it
ends with the command's exit code. With acts the command runs in a terminal, and somebody does these one after the other:

    ["shown", PATTERN, S]       waits until the screen shows it
    ["type", TEXT, COMMAND, S]  types it, and Enter until COMMAND ends well at another terminal: a program that is
                                still starting drops keys
    ["run", COMMAND]            runs it at another terminal; it must end well
    ["until", COMMAND, S]       repeats it at another terminal until it ends well

What was done at other terminals is kept in the file `done`.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import model
from person import Person
from terminal import Terminal

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
EXIT_ACT_FAILED = 99


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | IFF_UP, b""))


def cover(folders: list[str]) -> None:
    """Puts an empty folder over each of these, for this namespace only."""
    for folder in folders:
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)


def run(order: dict[str, Any], person: Person) -> int:
    """The program alone, without a terminal."""
    running = subprocess.Popen(
        order["command"],
        env=order["environment"],
        cwd=order["folder"],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    person.environment["PROGRAM_PID"] = str(running.pid)
    return running.wait()


def does(act: list[Any], terminal: Terminal, person: Person) -> bool:
    """Whether it went well."""
    what, *words = act
    if what == "type":
        text, command, seconds = words
        terminal.type(text)
        return person.until(command, seconds, lambda: terminal.press("Enter"))
    if what == "shown":
        return terminal.shown(*words)
    if what == "run":
        return person.run(words[0]).exit == 0
    return person.until(*words)


def act(order: dict[str, Any], person: Person) -> int:
    """The program in a terminal, and what somebody does there."""
    terminal = Terminal(Path(order["terminal"]), order["command"], Path(order["folder"]), order["environment"])
    try:
        for one in order["acts"]:
            if not does(one, terminal, person):
                print(f"did not go well: {one}")
                return EXIT_ACT_FAILED
        return 0
    finally:
        print("\n".join(line for line in terminal.screen().splitlines() if line.strip()))
        terminal.close()


def main() -> int:
    order = json.loads(Path(sys.argv[1]).read_text())
    cover(order["covered"])
    raise_loopback()
    person = Person(Path(order["folder"]), order["persons"])
    model.serve(order["scripts"], Path(order["log"]), person)
    try:
        return act(order, person) if order["acts"] else run(order, person)
    finally:
        person.finish()
        Path(order["done"]).write_text(json.dumps([asdict(done) for done in person.done]))


if __name__ == "__main__":
    sys.exit(main())
