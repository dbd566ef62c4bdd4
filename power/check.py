"""Looks at a hive after a power cut: is everything there that was confirmed before?

``check.py HIVE LEDGER`` shares no code with the product: it knows the folders of a hive and the first lines of an envelope,
as the specification has them. LEDGER has the lines S and D that left the guest before the cut. The answer, a line each:

    LOST id inbox why       a confirmed send without a whole file
    UNDONE id inbox         a confirmed done that is not in the seen-set
    DEAD id inbox state     a confirmed send that has ended as dead, expired and the like
    TWICE id inbox what     a copy that is in the archive as done twice, or that the event log tells to be done by two attempts
    TORN id inbox           a file that is not whole, and that nobody confirmed
    CHECKED sends dones     the last line: the whole ledger was looked at
"""

from __future__ import annotations

import collections
import hashlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
ID_LENGTH = 26
HEADER_BEGIN, HEADER_END = b"---\n", b"\n---\n"
HASH_LINE = re.compile(rb"^hash: sha256:([0-9a-f]{64})$", re.MULTILINE)
# Where mail may be that was sent: the last one only if somebody finished it.
GOOD_STATES = {"waiting", "active", "returning", "done"}

Key = tuple[str, str]
"""The id of an envelope and the inbox of its copy."""


@dataclass(frozen=True)
class Found:
    state: str
    hash: str
    """Of the body, as the header has it; empty if the file is not whole."""


def hash_if_whole(text: bytes) -> str:
    end = text.find(HEADER_END)
    if not text.startswith(HEADER_BEGIN) or end < 0:
        return ""
    told = HASH_LINE.search(text[:end])
    computed = hashlib.sha256(text[end + len(HEADER_END) :]).hexdigest()
    return f"sha256:{computed}" if told and told[1].decode() == computed else ""


def mail_files(hive: Path) -> Iterator[tuple[Path, str, str]]:
    """Every file of mail, with its inbox and its state."""
    for path in hive.glob("inbox/*/*.md"):
        yield path, path.parts[-2], "waiting"
    for path in hive.glob("active/*/*.md"):
        yield path, path.parts[-2], "active"
    for path in hive.glob("active/*/.return/*"):
        yield path, path.parts[-3], "returning"
    for path in hive.glob("archive/*/*/*/*"):
        yield path, path.parts[-4], path.parts[-3]


def find_mail(hive: Path) -> dict[Key, list[Found]]:
    found: dict[Key, list[Found]] = collections.defaultdict(list)
    for path, inbox, state in mail_files(hive):
        # What was never finished is archived under no id.
        if ID.match(path.name):
            found[path.name[:ID_LENGTH], inbox].append(Found(state, hash_if_whole(path.read_bytes())))
    return found


def find_seen(hive: Path) -> set[Key]:
    return {(path.name[:ID_LENGTH], path.parts[-3]) for path in hive.glob("seen/*/*/*")}


def find_done_events(hive: Path) -> dict[Key, set[int]]:
    """By which attempts a copy is done, as the event log tells. A line that a cut has torn tells nothing.

    The same event may be there twice: recovery tells again what it can't know to be told, and whoever counts knows that.
    """
    told: dict[Key, set[int]] = collections.defaultdict(set)
    log = hive / "telemetry" / "rse.jsonl"
    for line in log.read_bytes().splitlines() if log.exists() else []:
        try:
            event = json.loads(line)
            if event["type"] == "worker_ack" and event["data"]["status"] == "done":
                told[event["data"]["ref"], event["data"]["inbox"]].add(event["data"].get("attempt", 0))
        except (ValueError, KeyError, TypeError):
            continue
    return told


def ended_twice(hive: Path, mail: dict[Key, list[Found]]) -> Iterator[str]:
    for key, copies in mail.items():
        if sum(copy.state == "done" for copy in copies) > 1:
            yield " ".join(("TWICE", *key, "archived"))
    for key, attempts in find_done_events(hive).items():
        if len(attempts) > 1:
            yield " ".join(("TWICE", *key, "told"))


def read_ledger(path: Path) -> tuple[dict[Key, str], set[Key]]:
    """The hashes of what was sent, and what was done."""
    sent: dict[Key, str] = {}
    done: set[Key] = set()
    for line in path.read_text().splitlines():
        kind, envelope_id, *rest = line.split()
        if kind == "S":
            sent |= {(envelope_id, inbox): rest[0] for inbox in rest[1].split(",")}
        elif kind == "D":
            done.add((envelope_id, rest[0]))
    return sent, done


def why_lost(found: list[Found], sent_hash: str) -> str:
    if not found:
        return "gone"
    if any(copy.hash == sent_hash for copy in found):
        return ""
    return "other content" if any(copy.hash for copy in found) else "torn"


def broken_promises(hive: Path, sent: dict[Key, str], done: set[Key]) -> Iterator[str]:
    mail, seen = find_mail(hive), find_seen(hive)
    for key, sent_hash in sent.items():
        why = why_lost(mail.get(key, []), sent_hash)
        if why:
            yield " ".join(("LOST", *key, why))
        for copy in mail.get(key, []):
            if copy.state not in GOOD_STATES:
                yield " ".join(("DEAD", *key, copy.state))
    for key in done - seen:
        yield " ".join(("UNDONE", *key))
    yield from ended_twice(hive, mail)
    for key, copies in mail.items():
        if key not in sent and not all(copy.hash for copy in copies):
            yield " ".join(("TORN", *key))


def main() -> None:
    root, ledger = sys.argv[1:]
    sent, done = read_ledger(Path(ledger))
    for line in broken_promises(Path(root) / ".deia", sent, done):
        print(line)
    print("CHECKED", len(sent), len(done), flush=True)


if __name__ == "__main__":
    main()
