"""Envelopes: reading them tolerantly, writing them strictly, and never changing a byte in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pheromone.characters import describe, first_forbidden
from pheromone.header import EnvelopeText, Field, MalformedEnvelope
from pheromone.instant import Instant
from pheromone.question import Ask, parse_answer, parse_choice, parse_free
from pheromone.values import (
    Actor,
    Address,
    Attachment,
    Consent,
    ContentHash,
    EnvelopeId,
    KeyId,
    Lane,
    Priority,
    Ttl,
    parse_from_origin,
    parse_traceparent,
)

T = TypeVar("T")

HOPS_MAX = 8
TOPIC_LENGTH_MAX = 256

# In the order in which they are written.
_KNOWN = (
    "id ts from to reply_to correlation_id lane topic priority ttl scope consent sig kid hash tags attachments"
    " traceparent hops from_origin ask ask_free ask_default ask_deadline ask_of answer"
).split()

# In these two copies of the same mail may differ: a retry stamps and signs anew.
_FREE_TO_DIFFER = frozenset(("ts", "sig", "kid", "traceparent", "from_origin", "hash"))

_NOT_TEXT_ELSEWHERE = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


@dataclass(frozen=True)
class Envelope:
    """One message: who sent it, to whom, what about, and its body; valid, with the exact bytes it was read from.

    Whether the body is the one that the header's hash names is a question of its own: ``hash_matches``.
    """

    text: EnvelopeText = field(repr=False)
    id: EnvelopeId
    ts: Instant
    from_: Actor
    to: tuple[Address, ...]
    reply_to: Address | None
    correlation_id: EnvelopeId | None
    lane: Lane
    topic: str
    priority: Priority
    ttl: Ttl
    scope: str | None
    consent: Consent
    sig: str | None
    kid: KeyId | None
    hash: ContentHash
    tags: tuple[str, ...]
    attachments: tuple[Attachment, ...]
    traceparent: str | None
    hops: int
    from_origin: str | None
    ask: Ask | None
    answer: str | None
    warnings: tuple[str, ...]

    @classmethod
    def parse(cls, raw: bytes) -> Envelope:
        """The envelope in ``raw``, all of it. Raises ``MalformedEnvelope``."""
        text = EnvelopeText.parse(raw)
        fields = _Fields(text)
        return cls(
            text=text,
            id=fields.required("id", EnvelopeId),
            ts=fields.required("ts", Instant.parse),
            from_=fields.required("from", Actor),
            to=fields.to(),
            reply_to=fields.optional("reply_to", Address),
            correlation_id=fields.optional("correlation_id", EnvelopeId),
            lane=fields.lane(),
            topic=fields.required("topic", _parse_topic),
            priority=fields.required("priority", Priority.parse),
            ttl=fields.required("ttl", Ttl),
            scope=fields.optional("scope", _parse_text),
            consent=fields.optional("consent", Consent.parse) or Consent.TEAM,
            sig=fields.signature(),
            hash=fields.required("hash", ContentHash),
            tags=fields.list("tags", _parse_text),
            kid=fields.optional("kid", KeyId),
            attachments=fields.list("attachments", Attachment.parse),
            traceparent=fields.lenient("traceparent", parse_traceparent),
            hops=fields.optional("hops", _parse_hops) or 0,
            from_origin=fields.lenient("from_origin", parse_from_origin),
            ask=fields.ask(),
            answer=fields.lenient("answer", parse_answer),
            # Last, because all of the above may warn.
            warnings=tuple(fields.warnings),
        )

    @classmethod
    def write(
        cls,
        *,
        from_: str,
        to: str | Iterable[str],
        topic: str,
        body: str | bytes = b"",
        lane: str | None = None,
        id: str | None = None,
        ts: Instant | None = None,
        reply_to: str | None = None,
        correlation_id: str | None = None,
        priority: str = "P2",
        ttl: str = "1d",
        scope: str | None = None,
        consent: str = "team",
        tags: Sequence[str] = (),
        attachments: Sequence[Attachment] = (),
        traceparent: str | None = None,
        hops: int = 0,
        from_origin: str | None = None,
        ask: Ask | None = None,
        answer: str | None = None,
    ) -> Envelope:
        """A new envelope. Raises ``ValueError`` if a value can't stand in a header, such as a topic of two lines.

        Its lane, if none is given, is that of the first recipient.
        """
        time = ts or Instant.now()
        addresses = [Address.of(one) for one in ([to] if isinstance(to, str) else to)]
        content = body.encode() if isinstance(body, str) else body
        values: dict[str, str | None] = {
            "id": EnvelopeId(id) if id else EnvelopeId.random(time),
            "ts": time.to_header_text(),
            "from": Actor(from_),
            "to": _list_text(addresses),
            "reply_to": reply_to and Address.of(reply_to),
            "correlation_id": correlation_id,
            "lane": _scalar_text(Lane(lane) if lane else addresses[0].lane if addresses else Lane("Process")),
            "topic": _scalar_text(topic),
            "priority": Priority.parse(priority).value,
            "ttl": Ttl(ttl),
            "scope": scope and _scalar_text(scope),
            "consent": Consent.parse(consent).value,
            "hash": ContentHash.of(content),
            "tags": _list_text(tags) if tags else None,
            "attachments": _list_text([str(one) for one in attachments]) if attachments else None,
            "traceparent": traceparent,
            "hops": str(hops) if hops else None,
            "from_origin": from_origin,
            **({} if ask is None else _ask_values(ask)),
            "answer": answer and _scalar_text(answer),
        }
        lines = [_line(key, value) for key, value in values.items() if value]
        envelope = cls.parse("---\n{}---\n".format("".join(lines)).encode() + content)
        given = (tuple(addresses), topic, scope or None, tuple(tags), answer or None)
        read = (envelope.to, envelope.topic, envelope.scope, envelope.tags, envelope.answer)
        asked = [None if one is None else (one.choices, one.default) for one in (ask, envelope.ask)]
        if given != read or asked[0] != asked[1]:
            raise ValueError(f"envelope from {from_}: found values that a header would read as others")
        return envelope

    @property
    def raw(self) -> bytes:
        return self.text.raw

    @property
    def body(self) -> bytes:
        return self.text.body

    @property
    def body_text(self) -> str:
        """The body; what is not UTF-8 in it appears as U+FFFD."""
        return self.body.decode(errors="replace")

    @property
    def hash_matches(self) -> bool:
        return ContentHash.of(self.body) == self.hash

    @property
    def expires_at(self) -> Instant:
        """When its time is over, by the sender's clock."""
        return self.ts.plus(self.ttl.seconds)

    @property
    def extra(self) -> tuple[str, ...]:
        """The names of fields that have no meaning here; they are kept."""
        return tuple(one.key for one in self.text.fields if one.key not in _KNOWN)

    def is_same_mail_as(self, other: Envelope) -> bool:
        """Whether ``other`` is this mail sent again. Everything else with this id is a conflict."""
        return self.id == other.id and self.hash == other.hash and self._compared() == other._compared()

    def _compared(self) -> set[tuple[str, str, tuple[str, ...]]]:
        return {(one.key, one.shape, one.values) for one in self.text.fields if one.key not in _FREE_TO_DIFFER}


class _Fields:
    """The fields of one header as values of their types; what does not fit its type is an error with its line."""

    def __init__(self, text: EnvelopeText) -> None:
        self.text = text
        self.warnings: list[str] = []

    def required(self, key: str, parse: Callable[[str], T]) -> T:
        found = self.text.find(key)
        if found is None:
            raise MalformedEnvelope(self.text.closing_line, 1, key, "found no such field in the header, expected one")
        return _parsed(found, _only(found), parse)

    def optional(self, key: str, parse: Callable[[str], T]) -> T | None:
        found = self.text.find(key)
        return None if found is None or found.shape == "empty" else _parsed(found, _only(found), parse)

    def lenient(self, key: str, parse: Callable[[str], T]) -> T | None:
        """A value that is no reason to lose mail: with a warning if it is malformed."""
        try:
            return self.optional(key, parse)
        except MalformedEnvelope as e:
            self.warnings.append(str(e))
            return None

    def ask(self) -> Ask | None:
        """What a question asks; None, with a warning, if that can't be understood: then it is mail like any other."""
        found = self.text.find("ask")
        if found is None or found.shape == "empty":
            return None
        try:
            return Ask(
                self.list("ask", parse_choice),
                self.optional("ask_free", parse_free) or False,
                self.optional("ask_default", parse_answer),
                self.optional("ask_deadline", Instant.parse),
                self.list("ask_of", Address),
            )
        except MalformedEnvelope as e:
            self.warnings.append(str(e))
        except ValueError as e:
            self.warnings.append(f"line {found.line}: ask: {e}")
        return None

    def list(self, key: str, parse: Callable[[str], T]) -> tuple[T, ...]:
        found = self.text.find(key)
        if found is None or found.shape == "empty":
            return ()
        if found.shape != "list":
            raise _error(found, "found a single value, expected a list such as [one, two]")
        return tuple(_parsed(found, value, parse) for value in found.values)

    def to(self) -> tuple[Address, ...]:
        found = self.text.find("to")
        if found is not None and not found.values:
            raise _error(found, "found nobody, expected at least one address such as queen://code")
        if found is None:
            return (self.required("to", Address),)
        return tuple(_parsed(found, value, Address) for value in found.values)

    def lane(self) -> Lane:
        lane = self.required("lane", Lane)
        found = self.text.find("lane")
        if not lane.is_known and found is not None:
            self.warnings.append(f'line {found.line}: lane: found "{lane}", which is none of the known lanes')
        return lane

    def signature(self) -> str | None:
        """The signature, or None if the header has no such line; one without a value is an error."""
        return None if self.text.find("sig") is None else self.required("sig", _parse_signature)


def _parsed(found: Field, value: str, parse: Callable[[str], T]) -> T:
    try:
        return parse(value)
    except ValueError as e:
        raise _error(found, str(e).split(": ", 1)[-1]) from None


def _only(found: Field) -> str:
    if found.shape == "scalar":
        return found.values[0]
    raise _error(
        found,
        "found a list, expected a single value"
        if found.shape == "list"
        else "found nothing after the colon, expected a value",
    )


def _error(found: Field, problem: str) -> MalformedEnvelope:
    return MalformedEnvelope(found.line, 1, found.key, problem)


def _parse_topic(text: str) -> str:
    if not text.strip(" ") or len(text) > TOPIC_LENGTH_MAX:
        limit = f"expected 1 to {TOPIC_LENGTH_MAX}, not all of them spaces"
        raise ValueError(f"found {len(text)} characters, {limit}")
    return text


def _parse_text(text: str) -> str:
    if not text.strip(" "):
        raise ValueError("found an empty text, expected at least one character")
    return text


def _parse_hops(text: str) -> int:
    if len(text) != 1 or not "0" <= text <= str(HOPS_MAX):
        raise ValueError(f'found "{text}", expected a number from 0 to {HOPS_MAX}')
    return int(text)


def _parse_signature(text: str) -> str:
    algorithm, _, digits = text.partition("-")
    length = {"ed25519": 128, "hmac": 64}.get(algorithm)
    if length is None or len(digits) != length or not set(digits) <= set("0123456789abcdef"):
        raise ValueError("found no signature, expected ed25519-<128 hex> or hmac-<64 hex>")
    return text


def _line(key: str, value: str) -> str:
    forbidden = first_forbidden(value)
    if forbidden:
        # A line end within a value would begin a line of its own, and could be a field.
        raise ValueError(f"{key}: found {describe(forbidden[0])}, expected printable characters in one line")
    return f"{key}: {value}\n"


def _ask_values(ask: Ask) -> dict[str, str | None]:
    return {
        "ask": _list_text(ask.choices),
        "ask_free": "true" if ask.free else None,
        "ask_default": ask.default and _scalar_text(ask.default),
        "ask_deadline": None if ask.deadline is None else ask.deadline.to_header_text(),
        "ask_of": _list_text(ask.of) if ask.of else None,
    }


def _list_text(values: Iterable[str]) -> str:
    return "[{}]".format(", ".join(_scalar_text(value) for value in values))


def _scalar_text(value: str) -> str:
    """As it is where that reads back as the same text, by readers that guess types too; else in double quotes."""
    plain = (
        value[:1].isalpha()
        and not value.endswith((" ", ":"))
        and not any(c in value for c in ',[]{}"')
        and " #" not in value
        and ": " not in value
        and value.lower() not in _NOT_TEXT_ELSEWHERE
    )
    return value if plain else '"{}"'.format(value.replace("\\", "\\\\").replace('"', '\\"'))
