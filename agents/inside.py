"""Runs one command in the namespaces that `room.py` made: loopback up, the scripted model on it, no settings of the user.

    inside.py ORDER

ORDER is a file of JSON: {script, log, command, environment, folder, covered}. It ends with the command's exit code.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import model

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | IFF_UP, b""))


def cover(folders: list[str]) -> None:
    """Puts an empty folder over each of these, for this namespace only."""
    for folder in folders:
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)


def main() -> int:
    order = json.loads(Path(sys.argv[1]).read_text())
    cover(order["covered"])
    raise_loopback()
    model.serve(order["script"], Path(order["log"]))
    return subprocess.run(
        order["command"], env=order["environment"], cwd=order["folder"], stdin=subprocess.DEVNULL
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
