"""The guard: whether a lock forbids to touch a file of the hive. Whatever can't be found out is locked."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import unicodedata
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType

from pheromone import yaml
from pheromone.gate import Gate, gate_of
from pheromone.instant import Instant
from pheromone.lockpattern import LockPattern
from pheromone.values import ContentHash

HIVE = ".deia"
MIRROR = ".embargo"
HIVE_LOCK = "ROTG-2-RESPECT-DO-NOT-ERASE.lock"

_FILES_MAX = 1000
_BELOW_MAX = 10_000
_HASHED_BYTES_MAX = 1 << 30
_REASON_BYTES_MAX = 1024
_FOLDERS = (("dnr", "do-not-read"), ("do-not-alter", "do-not-alter"), ("do-not-erase", "do-not-erase"))


class Access(Enum):
    """What somebody is about to do."""

    READ = "read"
    WRITE = "write"
    ERASE = "erase"


@dataclass(frozen=True)
class Blocked:
    """A lock stands against it: of which kind, what events call its source, and why."""

    kind: str
    source: str
    reason: str


class Withheld(Exception):
    """A lock forbids an access: nothing was done."""

    def __init__(self, path: Path, blocked: Blocked) -> None:
        self.path = path
        self.blocked = blocked
        super().__init__(f"{path} is under lock {blocked.kind}: {blocked.reason}")


@dataclass(frozen=True)
class LockEntry:
    """One entry of a lock list; without a pattern only ``hash`` says what it covers."""

    kind: str
    pattern: LockPattern | None
    hash: ContentHash | None
    reason: str
    expires: Instant | None
    declared_in: str

    def is_in_force(self, now: Instant) -> bool:
        return self.expires is None or now < self.expires

    def forbids(self, access: Access) -> bool:
        if self.kind == "dnr":
            return True
        return access is not Access.READ if self.kind == "do-not-alter" else access is Access.ERASE

    def blocked(self) -> Blocked:
        covers = self.pattern.text if self.pattern else str(self.hash)
        return Blocked(self.kind, self.declared_in, self.reason or f"{covers} is locked")


def uncertain(reason: str) -> Blocked:
    return Blocked("dnr", "uncertain", reason)


class Pass:
    """A stay behind the gate, with the locks as they were when it began."""

    def __init__(self, root: Path, entries: list[LockEntry], hive: Blocked | None, gate: Gate | None) -> None:
        self._root = root
        self._entries = entries
        # What stands against everything in the hive.
        self._hive = hive
        self._gate = gate
        self._folds: bool | None = None

    def __enter__(self) -> Pass:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._gate is not None:
            self._gate.leave()

    def check(self, path: Path, access: Access, content: bytes | None = None) -> Blocked | None:
        """What stands against doing this to ``path``, and against writing ``content`` there; None if nothing."""
        if self._hive is None and not self._entries:
            return None
        if self._hive is not None and self._root / HIVE in (path, *path.parents):
            # By its name alone: under the hive's lock nothing in it is even looked at.
            return self._hive
        try:
            forms = self._forms(path)
        except OSError as e:
            return uncertain(f"{path} can't be followed: {e.strerror}")
        if self._hive is not None and any(form[:1] == (self._normal(HIVE),) for form in forms):
            return self._hive
        if not all(_is_text(name) for form in forms for name in form):
            return uncertain("its name is not text, and can't be compared with the locks")
        now = Instant.now()
        in_force = [entry for entry in self._entries if entry.is_in_force(now) and entry.forbids(access)]
        for entry in in_force:
            if entry.pattern is not None and self._is_covered(entry, forms, path, access):
                return entry.blocked()
        return self._check_content([entry for entry in in_force if entry.hash], path, content)

    def _forms(self, path: Path) -> set[tuple[str, ...]]:
        """The names below the root under which locks know a path: as given, and where it really leads."""
        absolute = os.path.abspath(path)
        parent, name = os.path.split(absolute)
        forms = set()
        for place in (absolute, os.path.realpath(absolute), os.path.join(os.path.realpath(parent), name)):
            try:
                below = Path(place).relative_to(self._root)
            except ValueError:
                continue
            forms.add(tuple(self._normal(part) for part in below.parts))
        return forms

    def _normal(self, name: str) -> str:
        """How a name is written to be compared: what looks alike to the file system is alike."""
        composed = unicodedata.normalize("NFC", name)
        if self._folds is None:
            self._folds = _is_same(self._root / HIVE, self._root / HIVE.upper())
        return composed.upper().lower() if self._folds else composed

    def _is_covered(self, entry: LockEntry, forms: set[tuple[str, ...]], path: Path, access: Access) -> bool:
        pattern = LockPattern(self._normal(entry.pattern.text)) if entry.pattern else None
        if pattern is None:
            return False
        for form in forms:
            # What is kept in the mirror is as secret as what it mirrors.
            mirrored = entry.kind == "dnr" and form[:1] == (self._normal(MIRROR),)
            if pattern.covers(form) or (mirrored and pattern.covers((self._normal(HIVE),) + form[1:])):
                return True
        if access is Access.READ:
            return False
        # What is done to a folder would be done to what is in it.
        return any(self._holds_covered(pattern, form, path) for form in forms if pattern.may_cover_below(form))

    def _holds_covered(self, pattern: LockPattern, form: tuple[str, ...], path: Path) -> bool:
        todo, left = [(path, form)], _BELOW_MAX
        while todo:
            folder, names = todo.pop()
            if os.path.islink(folder) or not os.path.isdir(folder):
                continue
            try:
                children = os.listdir(folder)
            except OSError:
                return True
            left -= len(children)
            if left < 0:
                return True
            for child in children:
                below = names + (self._normal(child),)
                if pattern.covers(below):
                    return True
                if pattern.may_cover_below(below):
                    todo.append((folder / child, below))
        return False

    @staticmethod
    def _check_content(entries: list[LockEntry], path: Path, content: bytes | None) -> Blocked | None:
        if not entries:
            return None
        try:
            hashes = {_hash_of(path), None if content is None else ContentHash.of(content)}
        except OSError as e:
            return uncertain(f"its content can't be compared with the locks: {e.strerror}")
        return next((entry.blocked() for entry in entries if entry.hash in hashes), None)


class Guard:
    """The locks of one hive. Without a gate it only looks, and leaves no trace."""

    def __init__(self, root: Path, gated: bool = True) -> None:
        self.root = root
        self._hive = root / HIVE
        self._mirror = root / MIRROR
        self._gate = gate_of(self._mirror) if gated else None

    def enter(self) -> Pass:
        """Goes in through the gate and looks for locks; nobody who sets one returns before we have left."""
        try:
            # Backs off at once: whoever sets the lock waits for those who are inside.
            if _exists(self._hive / HIVE_LOCK):
                return self._locked()
            if self._gate is None:
                return self._look(None)
            self._gate.enter()
            try:
                found = self._look(self._gate)
            except BaseException:
                self._gate.leave()
                raise
            if found._gate is None:
                self._gate.leave()
            return found
        except OSError as e:
            return Pass(self.root, _everything("uncertain", f"the locks can't be read: {e.strerror or e}"), None, None)

    def _look(self, gate: Gate | None) -> Pass:
        if _exists(self._hive / HIVE_LOCK):
            return self._locked()
        for name in _list_if_there(self._hive / "tools"):
            if name == "policy_guard" or name.startswith("policy_guard."):
                # It is foreign code, which only a person may approve: that is asked of rsm.
                reason = f"{HIVE}/tools/{name} is an outside guard, which this program does not run"
                return Pass(self.root, [], Blocked("do-not-alter", "policy_guard", reason), None)
        return Pass(self.root, self._read_lists(self._hive), None, gate)

    def _locked(self) -> Pass:
        """Nothing in the hive is opened; of the mirror, the lists that were laid aside with this very lock."""
        lock = self._hive / HIVE_LOCK
        reason = "the whole hive is locked"
        entries: list[LockEntry] = []
        try:
            status = os.lstat(lock)
            told = _first_line(lock, status)
            reason += f": {told}" if told else ""
            aside = self._mirror / f"lists-{status.st_ino}-{status.st_ctime_ns // 1_000_000}"
            if _exists(aside):
                entries = self._read_lists(aside)
        except FileNotFoundError:
            # Lifted just now: the next look sees that.
            pass
        return Pass(self.root, entries, Blocked("do-not-erase", "rotg-2", reason), None)

    def _read_lists(self, base: Path) -> list[LockEntry]:
        entries: list[LockEntry] = []
        for kind, name in _FOLDERS:
            folder = base / name
            where = os.path.relpath(folder, self.root)
            try:
                files = sorted(_list_if_there(folder))
            except OSError as e:
                entries += _everything(where, f"what {where} covers is unclear: {e.strerror}")
                continue
            if len(files) > _FILES_MAX:
                entries += _everything(where, f"what {where} covers is unclear: found more than {_FILES_MAX} files")
                continue
            for file in files:
                entries += _read_list(kind, folder / file, f"{where}/{file}")
        return entries


def _read_list(kind: str, file: Path, declared_in: str) -> list[LockEntry]:
    """The entries of one list; one that can't be read or understood locks everything it could have covered."""
    try:
        root = yaml.parse(read_regular(file, yaml.BYTES_MAX))
        items = root if isinstance(root, list) else [] if root is None else [root]
        return [_entry(item, kind, declared_in) for item in items]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as e:
        return _everything(declared_in, f"what {declared_in} covers is unclear: {e}")


def _entry(node: yaml.Node, kind: str, declared_in: str) -> LockEntry:
    if isinstance(node, str):
        return LockEntry(kind, LockPattern(node), None, "", None, declared_in)
    if not isinstance(node, dict):
        raise ValueError("found a list or nothing, expected a path or a map")
    texts = {name: node.get(name, "") for name in ("path_pattern", "hash", "reason", "expires")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise ValueError(f"{name}: found nothing, a list or a map, expected a text")
    pattern, digest, reason, expires = map(str, texts.values())
    if not pattern and not digest:
        raise ValueError("found neither path_pattern nor hash, expected one of them")
    return LockEntry(
        kind,
        LockPattern(pattern) if pattern else None,
        ContentHash(digest) if digest else None,
        reason,
        _parse_expires(expires) if expires else None,
        declared_in,
    )


def _parse_expires(text: str) -> Instant:
    """A time, or a day, which counts to its end."""
    if len(text) == len("2000-01-01"):
        return Instant.parse(f"{text}T00:00:00Z").plus(86_400)
    return Instant.parse(text)


def _everything(declared_in: str, reason: str) -> list[LockEntry]:
    return [LockEntry("dnr", LockPattern("**"), None, reason, None, declared_in)]


def _is_text(name: str) -> bool:
    try:
        name.encode()
        return True
    except UnicodeEncodeError:
        return False


def _exists(path: Path) -> bool:
    """Whether the name is there, as a name of any kind; fails if that can't be told."""
    try:
        os.lstat(path)
        return True
    except FileNotFoundError:
        return False


def _list_if_there(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def read_regular(file: Path, size_max: int) -> bytes:
    """The content of a regular file, which is not followed if it is a link and never waited for."""
    content, _ = read_part(file, 0, size_max + 1)
    if len(content) > size_max:
        raise OSError(errno.EFBIG, f"found more than {size_max} bytes", str(file))
    return content


def read_part(file: Path, start: int, size_max: int) -> tuple[bytes, int]:
    """At most ``size_max`` bytes of a regular file and how long it is; a ``start`` below 0 counts from its end."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "found no regular file, expected one", str(file))
        opened.seek(start if start >= 0 else max(0, status.st_size + start))
        return opened.read(size_max), status.st_size


def _first_line(lock: Path, status: os.stat_result) -> str:
    """What somebody wrote into the lock, which never decides anything."""
    if not stat.S_ISREG(status.st_mode):
        return ""
    try:
        return read_regular(lock, _REASON_BYTES_MAX).decode(errors="replace").partition("\n")[0].strip()
    except OSError:
        return ""


def _is_same(one: Path, other: Path) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except FileNotFoundError:
        return False
    except OSError:
        # To take them for the same forbids more, never less.
        return True


def _hash_of(path: Path) -> ContentHash | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    if status.st_size > _HASHED_BYTES_MAX:
        raise OSError(errno.EFBIG, f"found more than {_HASHED_BYTES_MAX} bytes", str(path))
    digest = hashlib.sha256()
    with open(path, "rb") as opened:
        while part := opened.read(1 << 20):
            digest.update(part)
    return ContentHash(f"sha256:{digest.hexdigest()}")
