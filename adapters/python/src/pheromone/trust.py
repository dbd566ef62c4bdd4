"""Signatures, and the keys that a hive trusts."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from pheromone import ed25519
from pheromone.envelope import Envelope
from pheromone.header import EnvelopeText
from pheromone.instant import Instant
from pheromone.values import Actor, Consent, KeyId

_HMAC_KEY_BYTES_MIN = 32

# How many keys are tried for a signature that names none: each costs a check.
_KEYS_TRIED_MAX = 8


@dataclass(frozen=True)
class Key:
    """What is known of a key: how it signs, who may use it, and until when.

    ``material`` is the public key; for HMAC the shared secret, or None where this machine does not have it.
    """

    kid: KeyId
    algorithm: str
    material: bytes | None
    actors: tuple[Actor, ...]
    human: bool = False
    expires: Instant | None = None
    revoked: Instant | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in ("ed25519", "hmac"):
            raise ValueError(f'algorithm: found "{self.algorithm}", expected ed25519 or hmac')
        if not self.actors:
            raise ValueError(f"key {self.kid} has no actors, expected at least one")
        if self.algorithm == "ed25519" and (self.material is None or len(self.material) != 32):
            raise ValueError(f"key {self.kid} has no public key of 32 bytes, expected one")
        if self.algorithm == "hmac" and self.material is not None and len(self.material) < _HMAC_KEY_BYTES_MIN:
            raise ValueError(f"key {self.kid} has {len(self.material)} bytes, expected at least {_HMAC_KEY_BYTES_MIN}")

    def is_live(self, now: Instant) -> bool:
        return (self.expires is None or now < self.expires) and (self.revoked is None or now < self.revoked)

    def verifies(self, signed: bytes, sig: str) -> bool:
        """Whether ``sig`` is this key's. One of another algorithm never is: the key decides, not the mail."""
        algorithm, _, digits = sig.partition("-")
        if self.material is None or algorithm != self.algorithm:
            return False
        if algorithm == "ed25519":
            return ed25519.verify(self.material, signed, bytes.fromhex(digits))
        return hmac.compare_digest(_hmac(self.material, signed), bytes.fromhex(digits))


@dataclass(frozen=True)
class SignatureCheck:
    """What looking at a signature showed: ``valid`` by a key, ``unsigned``, or ``bad`` for a reason."""

    state: str
    kid: KeyId | None = None
    reason: str = ""
    human: bool = False


@dataclass(frozen=True)
class TrustList:
    """The keys that a hive trusts, each under a name of its own."""

    keys: tuple[Key, ...] = ()

    def find(self, kid: str) -> Key | None:
        return next((key for key in self.keys if key.kid == kid), None)

    def has_key(self, actor: Actor, at: Instant) -> bool:
        """Whether a live key belongs to that actor."""
        return any(actor in key.actors and key.is_live(at) for key in self.keys)

    def check(self, envelope: Envelope, now: Instant, required: bool = False) -> SignatureCheck:
        """Who vouches for the envelope. Its hash is not looked at: a signature covers the body itself."""
        sig = envelope.sig
        if envelope.consent is Consent.PUBLIC and not (sig or "").startswith("ed25519-"):
            return _bad("consent public needs an ed25519 signature")
        if sig is None:
            return self._check_unsigned(envelope.from_, now, required)
        algorithm = sig.partition("-")[0]
        if envelope.kid is None:
            return self._check_without_kid(envelope, sig, algorithm, now)
        key = self.find(envelope.kid)
        if key is None:
            return _bad(f"key {envelope.kid} is not trusted here")
        if key.algorithm != algorithm:
            return _bad(f"key {key.kid} signs with {key.algorithm}, not {algorithm}")
        if envelope.from_ not in key.actors:
            return _bad(f"key {key.kid} does not belong to {envelope.from_}")
        if not key.is_live(now):
            return _bad(f"key {key.kid} is revoked or expired")
        if key.material is None:
            return _bad(f"the secret of key {key.kid} is not on this machine")
        if not key.verifies(signed_bytes(envelope.text, algorithm, key.kid), sig):
            return _bad(f"the signature is not key {key.kid}'s for these bytes")
        return SignatureCheck("valid", key.kid, human=key.human)

    def _check_unsigned(self, sender: Actor, now: Instant, required: bool) -> SignatureCheck:
        for key in self.keys:
            if sender in key.actors and key.is_live(now):
                return _bad(f"no signature, but {sender} has key {key.kid}")
        for key in self.keys:
            for owner in key.actors:
                if owner.resembles(sender) and key.is_live(now):
                    return _bad(f"no signature, and {sender} looks like {owner}, who has key {key.kid}")
        return _bad("no signature, but this hive requires one") if required else SignatureCheck("unsigned")

    def _check_without_kid(self, envelope: Envelope, sig: str, algorithm: str, now: Instant) -> SignatureCheck:
        signed = signed_bytes(envelope.text, algorithm, None)
        candidates = [
            key
            for key in self.keys
            if key.algorithm == algorithm and envelope.from_ in key.actors and key.is_live(now)
        ]
        for key in candidates[:_KEYS_TRIED_MAX]:
            if key.verifies(signed, sig):
                return SignatureCheck("valid", key.kid, human=key.human)
        if not candidates:
            return _bad(f"{envelope.from_} has no live {algorithm} key here")
        return _bad(f"the signature is of none of {envelope.from_}'s keys for these bytes")


@dataclass(frozen=True)
class Signer:
    """Signs envelopes with a private key of 32 bytes (ed25519) or a shared secret (hmac)."""

    kid: KeyId
    algorithm: str
    secret: bytes

    def sign(self, envelope: Envelope) -> Envelope:
        """The envelope with its ``kid`` and ``sig`` lines set; every other byte stays."""
        text = envelope.text
        named = EnvelopeText.parse(text.with_line("kid", self.kid, _start_of(text, "hash")))
        signed = signed_bytes(named, self.algorithm, self.kid)
        made = ed25519.sign(self.secret, signed) if self.algorithm == "ed25519" else _hmac(self.secret, signed)
        return Envelope.parse(named.with_line("sig", f"{self.algorithm}-{made.hex()}", _start_of(named, "kid")))


def signed_bytes(text: EnvelopeText, algorithm: str, kid: str | None) -> bytes:
    """The bytes that a signature vouches for: the header's as they are, but for its own line, and the body's.

    Lengths stand before both, so that nothing can move from one to the other.
    """
    sig = text.find("sig")
    cut_start, cut_end = (sig.start, sig.end) if sig else (text.header_end, text.header_end)
    header = text.raw[text.header_start : cut_start] + text.raw[cut_end : text.header_end]
    head = f"RSM-SIG-v1\n{algorithm}\n{kid or ''}\n{len(header)}\n".encode()
    return head + header + f"{len(text.body)}\n".encode() + text.body


def _start_of(text: EnvelopeText, key: str) -> int:
    found = text.find(key)
    return found.start if found else text.header_end


def _hmac(secret: bytes, signed: bytes) -> bytes:
    return hmac.new(secret, signed, hashlib.sha256).digest()


def _bad(reason: str) -> SignatureCheck:
    return SignatureCheck("bad", reason=reason)
