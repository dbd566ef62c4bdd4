"""What a hive's ``hive.yaml`` and ``trust.yaml`` say, as far as sending and receiving needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pheromone import yaml
from pheromone.admission import PressureLimits, SenderLimits
from pheromone.instant import Instant
from pheromone.trust import Key, TrustList
from pheromone.urgency import DUE_TURN, HalfLife
from pheromone.values import Actor, Address, Domain, KeyId, Lane, Ttl, parse_duration

T = TypeVar("T")

_HIVE_KEYS = frozenset(
    "format domains lanes signatures archive ttl decay selection backpressure sender lease attempts scopes transports"
    " notify separate".split()
)
_PARTS = (
    ("decay", "half_life"),
    ("selection", "due_turn"),
    ("backpressure", "depth oldest_age"),
    ("sender", "waiting rate p0"),
    ("lease", "select work"),
    ("ttl", "default user"),
)
_DOMAIN_KEYS = frozenset(("lanes",))
# With passkeys it is 2.
_TRUST_FORMAT = 2
_KEY_KEYS = frozenset("kid algorithm public actors human expires revoked".split())


@dataclass(frozen=True)
class HiveConfig:
    """The settings of a hive; all of them have defaults."""

    domains: Mapping[Domain, tuple[Lane, ...]] = field(default_factory=dict)
    lanes: tuple[Lane, ...] = ()
    signatures_required: bool = False
    archive_needs_approval: bool = False
    half_life: HalfLife = HalfLife()
    due_turn: int = DUE_TURN
    pressure: PressureLimits = PressureLimits()
    sender: SenderLimits = SenderLimits()
    lease_s: int = 30 * 60
    attempts: int = 5
    ttl: Ttl = Ttl("1d")
    user_ttl: Ttl = Ttl("7d")

    @classmethod
    def parse(cls, raw: bytes) -> HiveConfig:
        """Raises ``ValueError`` for what it does not understand: a rule that is overlooked would be broken."""
        root = _checked_map(yaml.parse(raw), _HIVE_KEYS)
        lanes = tuple(Lane(lane) for lane in _texts(root, "lanes"))
        domains = {
            Domain(name): _served(_only(_map(value, "domains"), f"domains: {name}", _DOMAIN_KEYS), lanes)
            for name, value in _map(root.get("domains"), "domains").items()
        }
        decay, selection, pressure, sender, lease, ttl = (
            _only(_map(root.get(name), name), name, frozenset(keys.split())) for name, keys in _PARTS
        )
        _choice(root, "separate", "false", "true")
        _texts(root, "notify")
        return cls(
            domains=domains,
            lanes=lanes,
            signatures_required=_choice(root, "signatures", "optional", "required") == "required",
            archive_needs_approval=_choice(root, "archive", "auto", "approve") == "approve",
            half_life=_value(decay, "half_life", HalfLife.parse, HalfLife()),
            due_turn=_value(selection, "due_turn", _count, DUE_TURN),
            pressure=PressureLimits(
                _value(pressure, "depth", _count, 1_000), _value(pressure, "oldest_age", _period, 600)
            ),
            sender=SenderLimits(
                _value(sender, "waiting", _count, 100),
                _value(sender, "rate", _per_minute, 60),
                _value(sender, "p0", _per_minute, 5),
            ),
            lease_s=_value(lease, "select", _period, 30 * 60),
            attempts=_value(root, "attempts", _count, 5),
            ttl=_value(ttl, "default", Ttl, Ttl("1d")),
            user_ttl=_value(ttl, "user", Ttl, Ttl("7d")),
        )

    def ttl_to(self, recipients: Iterable[Address]) -> Ttl:
        """How long mail lives whose sender does not say: longer if only people get it."""
        return self.user_ttl if all(address.scheme == "user" for address in recipients) else self.ttl

    def domains_of(self, address: Address) -> tuple[Domain, ...]:
        """The inboxes that an address means: a lane stands for each domain that lists it."""
        if address.scheme == "lane":
            serving = tuple(sorted(name for name, lanes in self.domains.items() if address.name in lanes))
            if serving:
                return serving
        return (address.inbox,)

    def allows(self, lane: Lane) -> bool:
        return lane.is_known or lane in self.lanes


def parse_trust(raw: bytes, secrets: Mapping[str, bytes]) -> TrustList:
    """The keys in a ``trust.yaml``; shared secrets are never in it, and come from ``secrets``."""
    root = _checked_map(yaml.parse(raw), frozenset(("format", "keys", "passkeys")), _TRUST_FORMAT)
    # Passkeys sign no mail: what is for people is not done here.
    listed = root.get("keys")
    if listed is not None and not isinstance(listed, list):
        raise ValueError("keys: found no list, expected one")
    keys: list[Key] = []
    for item in listed or []:
        fields = _only(_map(item, "keys"), "keys", _KEY_KEYS)
        kid = KeyId(_text(fields, "kid"))
        algorithm = _text(fields, "algorithm")
        if algorithm == "hmac" and "public" in fields:
            raise ValueError(f"keys: found public for hmac key {kid}, expected none: a secret stays secret")
        if any(key.kid == kid for key in keys):
            raise ValueError(f"keys: found key {kid} a second time, expected once")
        material = secrets.get(kid) if algorithm == "hmac" else bytes.fromhex(_text(fields, "public"))
        keys.append(
            Key(
                kid,
                algorithm,
                material,
                tuple(Actor(name) for name in _texts(fields, "actors")),
                _choice(fields, "human", "false", "true") == "true",
                _value(fields, "expires", Instant.parse, None),
                _value(fields, "revoked", Instant.parse, None),
            )
        )
    return TrustList(tuple(keys))


def _checked_map(node: yaml.Node, keys: frozenset[str], newest: int = 1) -> dict[str, yaml.Node]:
    root = _map(node, "file")
    # First, so that a newer file's other keys are not called mistakes.
    if root.get("format", "1") not in [str(known) for known in range(1, newest + 1)]:
        raise ValueError(f"format: found {root['format']}, expected {newest} or less")
    return _only(root, "file", keys)


def _only(fields: dict[str, yaml.Node], name: str, keys: frozenset[str]) -> dict[str, yaml.Node]:
    unknown = set(fields) - keys
    if unknown:
        raise ValueError(f"{name}: found unknown key {min(unknown)}, expected one of {', '.join(sorted(keys))}")
    return fields


def _served(fields: Mapping[str, yaml.Node], own: tuple[Lane, ...]) -> tuple[Lane, ...]:
    lanes = tuple(Lane(lane) for lane in _texts(fields, "lanes"))
    for lane in lanes:
        if not lane.is_known and lane not in own:
            raise ValueError(f'lanes: found "{lane}", expected a known lane, or one of lanes')
    return lanes


def _map(node: yaml.Node, name: str) -> dict[str, yaml.Node]:
    if node is not None and not isinstance(node, dict):
        raise ValueError(f"{name}: found no map, expected one")
    return node or {}


def _texts(fields: Mapping[str, yaml.Node], name: str) -> list[str]:
    node = fields.get(name)
    if node is None:
        return []
    if not isinstance(node, list) or not all(isinstance(item, str) for item in node):
        raise ValueError(f"{name}: found no list of texts, expected one")
    return [str(item) for item in node]


def _text(fields: Mapping[str, yaml.Node], name: str) -> str:
    node = fields.get(name)
    if not isinstance(node, str):
        raise ValueError(f"{name}: found no text, expected one")
    return node


def _value(fields: Mapping[str, yaml.Node], name: str, parse: Callable[[str], T], absent: T) -> T:
    return absent if fields.get(name) is None else parse(_text(fields, name))


def _choice(fields: Mapping[str, yaml.Node], name: str, usual: str, other: str) -> str:
    value = _value(fields, name, str, usual)
    if value not in (usual, other):
        raise ValueError(f'{name}: found "{value}", expected {usual} or {other}')
    return value


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 9 and int(text)):
        raise ValueError(f'found "{text}", expected a number of at least 1')
    return int(text)


def _period(text: str) -> int:
    seconds = parse_duration(text)
    if seconds < 1:
        raise ValueError(f'found "{text}", expected at least 1s')
    return seconds


def _per_minute(text: str) -> int:
    return _count(text[:-2] if text.endswith("/m") else text)
