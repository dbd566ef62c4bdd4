"""The small values of the protocol. Each is a text that was checked when it was made."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from enum import Enum

from pheromone.instant import Instant

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ACTOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ADDRESS_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_DOMAIN = re.compile(r"[a-z0-9][a-z0-9_-]*")
_HASH = re.compile(r"sha256[:-]([0-9a-f]{64})")
_UNITS = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)
_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")

_LANE_LENGTH_MAX = 64
_DURATION_LENGTH_MAX = 32
_TTL_S_MAX = 30 * 86_400
_TAG_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


class EnvelopeId(str):
    """What one envelope is called for ever: a ULID in upper case, or a UUID in lower case. It becomes a file name."""

    def __new__(cls, text: str) -> EnvelopeId:
        if not cls.is_id(text):
            raise ValueError(f'id: found "{text}", expected a ULID in upper case or a UUID in lower case')
        return super().__new__(cls, text)

    @staticmethod
    def is_id(text: str) -> bool:
        return bool(_ULID.fullmatch(text) or _UUID.fullmatch(text))

    @classmethod
    def random(cls, now: Instant) -> EnvelopeId:
        """A new ULID of time ``now``."""
        return cls._of_bytes((now.millis & (1 << 48) - 1).to_bytes(6, "big") + secrets.token_bytes(10))

    @classmethod
    def of_reply(cls, request: EnvelopeId, inbox: Domain) -> EnvelopeId:
        """The id of the one reply that work on a copy in ``inbox`` makes: the same each time, whatever crashes."""
        return cls._derived("RSM-REPLY-v1", inbox, request)

    @classmethod
    def of_retry(cls, old: EnvelopeId, inbox: Domain) -> EnvelopeId:
        """The id under which a copy that ended in ``inbox`` is sent anew."""
        return cls._derived("RSM-RETRY-v1", inbox, old)

    @property
    def seen_folder(self) -> str:
        """The folder of the seen-set that it belongs into."""
        return hashlib.sha256(self.encode("ascii")).hexdigest()[:2]

    @classmethod
    def _derived(cls, purpose: str, inbox: Domain, source: EnvelopeId) -> EnvelopeId:
        return cls._of_bytes(hashlib.sha256(f"{purpose}\n{inbox}\n{source}\n".encode("ascii")).digest()[:16])

    @classmethod
    def _of_bytes(cls, raw: bytes) -> EnvelopeId:
        number = int.from_bytes(raw, "big")
        return cls("".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5)))


# Without dots, dashes and underscores, with letters for the digits that look like them, and with i and l as
# one: a capital i looks like an l.
_LIKENESS = str.maketrans("01i", "oll", "._-")


class Actor(str):
    """The name of whoever sends, takes or signs: a person, an agent, a tool. Part of file names."""

    def __new__(cls, text: str) -> Actor:
        if not _ACTOR.fullmatch(text):
            raise ValueError(
                f'actor: found "{text}", expected 1 to 64 letters, digits, dots, dashes or underscores,'
                " beginning with a letter or digit"
            )
        return super().__new__(cls, text)

    @property
    def file_name(self) -> str:
        """The name as addresses and files have it: in lower case, and with a dash for each dot."""
        return self.lower().replace(".", "-")

    def resembles(self, other: Actor) -> bool:
        """Whether the two names look like one, though they need not be equal: trust compares them so."""
        return self.lower().translate(_LIKENESS) == other.lower().translate(_LIKENESS)


class KeyId(str):
    """The name of a key, by the rule of actors' names."""

    def __new__(cls, text: str) -> KeyId:
        if not _ACTOR.fullmatch(text):
            raise ValueError(f'key id: found "{text}", expected a name such as laptop-1')
        return super().__new__(cls, text)


class Domain(str):
    """The name of one inbox."""

    def __new__(cls, text: str) -> Domain:
        if not cls.is_good(text):
            raise ValueError(f'inbox: found "{text}", expected lower-case letters, digits, dashes or underscores')
        return super().__new__(cls, text)

    @staticmethod
    def is_good(text: str) -> bool:
        """Whether an inbox may have this name."""
        return _DOMAIN.fullmatch(text) is not None

    @property
    def address(self) -> str:
        """The address that means this inbox alone."""
        for scheme in ("user", "worker"):
            if self.startswith(f"{scheme}-"):
                return f"{scheme}://{self[len(scheme) + 1:]}"
        return f"queen://{self}"


class Lane(str):
    """A kind of work. Seven are known, whatever their case; others are kept as they were written."""

    KNOWN = ("Governance", "Process", "Code", "Ops", "Bugs", "Docs", "UI")

    def __new__(cls, text: str) -> Lane:
        if not text.strip(" ") or len(text) > _LANE_LENGTH_MAX:
            raise ValueError(f'lane: found "{text}", expected 1 to 64 characters, such as Code or Ops')
        # Unicode knows more letters that fold together, so only ASCII is compared without case.
        known = {name.lower(): name for name in cls.KNOWN}
        return super().__new__(cls, known.get(text.lower(), text) if text.isascii() else text)

    @property
    def is_known(self) -> bool:
        return self in self.KNOWN


class Address(str):
    """Where an envelope is to go: ``queen://code``, ``lane://Code``, ``user://you``, ``worker://claude-7f3a``."""

    def __new__(cls, text: str) -> Address:
        scheme, separator, name = text.partition("://")
        if not separator or scheme not in ("queen", "lane", "user", "worker"):
            raise ValueError(
                f'address: found "{text}", expected queen://, lane://, user:// or worker:// and a name'
            )
        if scheme == "lane":
            if not name.isascii() or not name.strip(" ") or not Lane(name[:_LANE_LENGTH_MAX]).is_known:
                raise ValueError(f'address: found "{text}", expected one of the lanes {", ".join(Lane.KNOWN)}')
            name = Lane(name)
        elif not _ADDRESS_NAME.fullmatch(name):
            raise ValueError(
                f'address: found "{text}", expected a name of 1 to 64 lower-case letters, digits, dashes or'
                " underscores, beginning with a letter or digit"
            )
        elif scheme == "queen" and name.startswith(("user-", "worker-", "lane-")):
            raise ValueError(f'address: found "{text}", expected none of user-, worker-, lane- at its beginning')
        return super().__new__(cls, f"{scheme}://{name}")

    @property
    def scheme(self) -> str:
        return self.partition("://")[0]

    @property
    def name(self) -> str:
        return self.partition("://")[2]

    @property
    def lane(self) -> Lane:
        """The lane of its name; work for anybody else is ``Process``."""
        named = Lane(self.name) if self.scheme in ("queen", "lane") else Lane("Process")
        return named if named.is_known else Lane("Process")

    @property
    def inbox(self) -> Domain:
        """The inbox it means; for a lane, where no domain is configured for it."""
        if self.scheme in ("user", "worker"):
            return Domain(f"{self.scheme}-{self.name}")
        return Domain(self.name.lower())

    @classmethod
    def of(cls, text: str) -> Address:
        """The same for people: a bare ``code`` means ``queen://code``."""
        return cls(text if "://" in text else f"queen://{text}")


class Priority(str, Enum):
    """How urgent something is; P0 comes first."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"

    @property
    def rank(self) -> int:
        return int(self.value[1])

    @classmethod
    def parse(cls, text: str) -> Priority:
        if text not in ("P0", "P1", "P2", "P3"):
            raise ValueError(f'priority: found "{text}", expected P0, P1, P2 or P3')
        return cls(text)


class Reach(str, Enum):
    """How far a transport carries."""

    LOCAL = "local"
    TEAM = "team"
    PUBLIC = "public"


class Consent(str, Enum):
    """How far a sender lets its mail go."""

    PRIVATE = "private"
    TEAM = "team"
    PUBLIC = "public"

    @classmethod
    def parse(cls, text: str) -> Consent:
        if text not in ("private", "team", "public"):
            raise ValueError(f'consent: found "{text}", expected public, team or private')
        return cls(text)

    def allows(self, reach: Reach) -> bool:
        return list(Reach).index(reach) <= list(Consent).index(self)

    def covers(self, other: Consent) -> bool:
        """Whether mail that may go as far as ``other`` goes no further than this."""
        return list(Consent).index(other) <= list(Consent).index(self)


class ContentHash(str):
    """A SHA-256, always as ``sha256:<hex>``; read with a dash, too."""

    def __new__(cls, text: str) -> ContentHash:
        found = _HASH.fullmatch(text)
        if found is None:
            raise ValueError(f'hash: found "{text[:100]}", expected sha256: and 64 lower-case hexadecimal digits')
        return super().__new__(cls, f"sha256:{found[1]}")

    @classmethod
    def of(cls, content: bytes) -> ContentHash:
        return cls(f"sha256:{hashlib.sha256(content).hexdigest()}")

    @property
    def hex(self) -> str:
        return self[7:]


class Ttl(str):
    """How long an envelope is worth delivering: ``90s``, ``15m``, ``1h30m``, ``2d`` or ISO-8601 such as ``PT1H``."""

    def __new__(cls, text: str) -> Ttl:
        if not 0 < parse_duration(text) <= _TTL_S_MAX:
            raise ValueError(f'ttl: found "{text}", expected more than 0 and at most 30d')
        return super().__new__(cls, text)

    @property
    def seconds(self) -> int:
        return parse_duration(self)


def parse_duration(text: str) -> int:
    """The seconds that a duration says."""
    found = (_ISO if text.startswith("P") else _UNITS).fullmatch(text) if len(text) <= _DURATION_LENGTH_MAX else None
    if found is None or not any(found.groups()):
        shown = text[:_DURATION_LENGTH_MAX]
        raise ValueError(f'duration: found "{shown}", expected a duration, for example 90s, 15m, 1h30m, 2d or PT1H')
    return sum(int(count or 0) * unit for count, unit in zip(found.groups(), (86_400, 3_600, 60, 1)))


def format_duration(seconds: int) -> str:
    """Whole seconds, in our form: ``1h30m``."""
    text = ""
    for letter, unit in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        count, seconds = divmod(seconds, unit)
        text += f"{count}{letter}" if count else ""
    return text or "0s"


@dataclass(frozen=True)
class Attachment:
    """Content too large for a body: where it lies, and what it hashes to. The path is never opened by itself."""

    path: str
    hash: ContentHash

    @classmethod
    def parse(cls, text: str) -> Attachment:
        path, _, digest = text.rpartition(" ")
        if not path or path != path.strip(" "):
            raise ValueError(f'attachment: found "{text}", expected a path, a space, and sha256: with 64 digits')
        return cls(path, ContentHash(digest))

    def __str__(self) -> str:
        return f"{self.path} {self.hash}"


def parse_traceparent(text: str) -> str:
    if not _TRACEPARENT.fullmatch(text):
        raise ValueError(f'traceparent: found "{text}", expected 00-<32 hex>-<16 hex>-<2 hex>')
    return text


def parse_from_origin(text: str) -> str:
    if text not in ("flag", "environment", "default"):
        raise ValueError(f'from_origin: found "{text}", expected flag, environment or default')
    return text


def random_tag(length: int) -> str:
    """A short random name for a file that must not collide with any other's."""
    return "".join(secrets.choice(_TAG_ALPHABET) for _ in range(length))
