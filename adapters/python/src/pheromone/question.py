"""Questions: what one asks, which answer counts, and what holds if none came. Pure: time and trust are arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pheromone.instant import Instant
from pheromone.values import Actor, Address, EnvelopeId

if TYPE_CHECKING:
    from pheromone.envelope import Envelope
    from pheromone.trust import SignatureCheck

CHOICES_MAX = 16
CHOICE_LENGTH_MAX = 100
ANSWER_LENGTH_MAX = 256

# A topic is a line in a table.
_TOPIC_LENGTH_MAX = 100

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True)
class Ask:
    """What the header of a question says. Nobody in ``of`` means everybody in the question's ``to``."""

    choices: tuple[str, ...] = ()
    free: bool = False
    default: str | None = None
    deadline: Instant | None = None
    of: tuple[Address, ...] = ()

    def __post_init__(self) -> None:
        if not self.choices and not self.free:
            raise ValueError("found no choice, expected at least one, or ask_free: true")
        if len(self.choices) > CHOICES_MAX:
            raise ValueError(f"found {len(self.choices)} choices, expected at most {CHOICES_MAX}")
        spelled = set()
        for choice in self.choices:
            parse_choice(choice)
            if choice.translate(_LOWER) in spelled:
                raise ValueError(f'found choice "{choice}" twice, expected each once')
            spelled.add(choice.translate(_LOWER))
        if self.default is not None and not self.allows(self.default):
            raise ValueError(f'found default "{self.default}", expected one of the choices')

    def allows(self, answer: str) -> bool:
        """Whether that is an answer that counts, letter by letter."""
        return self.free or answer in self.choices

    def meant(self, text: str) -> str | None:
        """The answer that somebody means who typed that: a choice in any case, or the text where any will do."""
        said = text.strip()
        if said in self.choices:
            return said
        for choice in self.choices:
            if choice.translate(_LOWER) == said.translate(_LOWER):
                return choice
        return said if self.free and 0 < len(said) <= ANSWER_LENGTH_MAX else None

    @property
    def permits_by_silence(self) -> bool:
        """Whether silence would permit something: any default may, but for a plain ``no``."""
        return self.default is not None and self.default.translate(_LOWER) != "no"


def parse_choice(text: str) -> str:
    return _checked(text, CHOICE_LENGTH_MAX)


def parse_answer(text: str) -> str:
    return _checked(text, ANSWER_LENGTH_MAX)


def parse_free(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f'found "{text}", expected true or false')
    return text == "true"


def _checked(text: str, length_max: int) -> str:
    if not text.strip(" ") or len(text) > length_max:
        raise ValueError(f"found {len(text)} characters, expected 1 to {length_max}, not all of them spaces")
    return text


@dataclass(frozen=True)
class StoredAnswer:
    """An answer as it was stored where its question said that answers go.

    ``check`` is what its signature was worth at that time, ``has_taken`` whether its sender had taken the question.
    """

    id: EnvelopeId
    from_: Actor
    text: str
    stored_at: Instant
    hash_matches: bool
    check: SignatureCheck
    has_taken: bool


@dataclass(frozen=True)
class SetAside:
    """An answer that does not count: ``why`` is ``hash``, ``signature``, ``not_asked``, ``choice`` or ``late``."""

    answer: StoredAnswer
    why: str
    reason: str


@dataclass(frozen=True)
class QuestionState:
    """What a question has come to: ``open``, ``answered``, ``defaulted`` or ``expired``.

    ``answer`` is what holds, the answer or the default. ``by``, ``proof`` (``key`` or ``unproven``), ``answer_id`` and
    ``answered_at`` are there for an answer.
    """

    state: str
    ends_at: Instant
    set_aside: tuple[SetAside, ...] = ()
    answer: str | None = None
    by: Actor | None = None
    proof: str | None = None
    answer_id: EnvelopeId | None = None
    answered_at: Instant | None = None


# Whether somebody has a key that was live at that time.
Keys = Callable[[Actor, Instant], bool]


@dataclass(frozen=True)
class Question:
    """A question, and the rule by which an answer counts: the first valid one that was stored wins."""

    id: EnvelopeId
    ask: Ask
    of: tuple[Address, ...]
    ends_at: Instant

    @classmethod
    def of_envelope(cls, envelope: Envelope) -> Question | None:
        """The question that an envelope asks; None if it asks none."""
        ask = envelope.ask
        if ask is None:
            return None
        end = envelope.expires_at
        if ask.deadline is not None and ask.deadline < end:
            end = ask.deadline
        return cls(envelope.id, ask, ask.of or envelope.to, end)

    def look(self, answers: Iterable[StoredAnswer], has_key: Keys, now: Instant) -> QuestionState:
        """What it has come to, by all answers that were stored, at ``now`` by the clock of the asker's hive."""
        counting: StoredAnswer | None = None
        aside: list[SetAside] = []
        for answer in sorted(answers, key=lambda one: (one.stored_at, one.id)):
            objection = self._objection(answer, has_key, counting)
            if objection is None:
                counting = answer
            else:
                aside.append(SetAside(answer, *objection))
        if counting is not None:
            proof = "key" if counting.check.state == "valid" else "unproven"
            return QuestionState(
                "answered",
                self.ends_at,
                tuple(aside),
                counting.text,
                counting.from_,
                proof,
                counting.id,
                counting.stored_at,
            )
        if now < self.ends_at:
            return QuestionState("open", self.ends_at, tuple(aside))
        state = "expired" if self.ask.default is None else "defaulted"
        return QuestionState(state, self.ends_at, tuple(aside), self.ask.default)

    def _objection(
        self, answer: StoredAnswer, has_key: Keys, counting: StoredAnswer | None
    ) -> tuple[str, str] | None:
        if not answer.hash_matches:
            return "hash", "its hash doesn't match the body"
        if answer.check.state == "bad":
            return "signature", answer.check.reason
        if not any(_is_asked(address, answer, has_key) for address in self.of):
            return "not_asked", f"{answer.from_} was not asked: the question went to {', '.join(self.of)}"
        if not self.ask.allows(answer.text):
            return "choice", f"it is none of {', '.join(self.ask.choices)}"
        if counting is not None:
            return "late", f"answered already by {counting.from_}"
        if not answer.stored_at < self.ends_at:
            return "late", "the question had ended by then"
        return None


def _is_asked(address: Address, answer: StoredAnswer, has_key: Keys) -> bool:
    if address.scheme in ("queen", "lane"):
        # For whoever takes it.
        return answer.has_taken
    actor = answer.from_
    if actor == address.name:
        return True
    # Several actors share an address; one whose name it is, and who has a key, shares it with nobody.
    return actor.file_name == address.name and not has_key(Actor(address.name), answer.stored_at)


def ask_fields(
    choices: Iterable[str],
    free: bool,
    default: str | None,
    deadline_s: int | None,
    default_permits: bool,
    now: Instant,
) -> dict[str, Any]:
    """What a question's header says; without choices any text is an answer.

    Raises ``ValueError`` for a default that may permit something, unless that is meant.
    """
    offered = tuple(choices)
    deadline = None if deadline_s is None else now.plus(deadline_s)
    plain = Ask(offered, free or not offered)
    meant = None if default is None else plain.meant(default)
    if default is not None and meant is None:
        raise ValueError(f'found default "{default}", expected one of the choices')
    ask = Ask(offered, plain.free, meant, deadline)
    if ask.permits_by_silence and not default_permits:
        raise ValueError(
            f'default: found "{meant}", which may permit something that nobody has allowed;'
            " expected no, or default_permits=True"
        )
    return {"ask": ask}


def answer_to(question: Envelope, body: str | bytes) -> str | None:
    """What the body of a reply answers: its first line that is not empty, if that is an answer; else None."""
    ask = question.ask
    if ask is None:
        return None
    text = body if isinstance(body, str) else body.decode(errors="replace")
    line = next((one.strip() for one in text.splitlines() if one.strip()), "")
    return ask.meant(line[:ANSWER_LENGTH_MAX].strip() if ask.free else line)


def answer_fields(question: Envelope, body: str | bytes, more: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer to a question says, with what its writer says, ``more``; not where it goes.

    Raises ``ValueError`` if the body is no answer to that question.
    """
    said = answer_to(question, body)
    if said is None:
        ask = question.ask
        expected = " or ".join(f'"{one}"' for one in ask.choices) if ask else "a question"
        raise ValueError(f"{question.id}: found no answer to it, expected {expected or 'some text'}")
    return {"answer": said, **more}


def topic_of(question: str) -> str:
    """What a question is about: its first line."""
    line = next((one.strip() for one in question.splitlines() if one.strip()), "")
    return line[:_TOPIC_LENGTH_MAX].strip() or "a question"
