"""Ed25519 as RFC 8032 writes it: through ``cryptography`` where that is installed, else by the arithmetic itself.

The fall-back takes milliseconds and its time depends on the key: whoever signs on a machine that others share installs
``cryptography``.
"""

from __future__ import annotations

import hashlib
from typing import Tuple

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    HAS_LIBRARY = True
except ImportError:  # the library is optional
    HAS_LIBRARY = False

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_SQRT_MINUS_1 = pow(2, (_P - 1) // 4, _P)

# A point as (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.
_Point = Tuple[int, int, int, int]


def public_key(seed: bytes) -> bytes:
    """The public half of the private key ``seed``, 32 bytes each."""
    if HAS_LIBRARY:
        key = Ed25519PrivateKey.from_private_bytes(seed).public_key()
        public: bytes = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return public
    return own_public_key(seed)


def sign(seed: bytes, message: bytes) -> bytes:
    if HAS_LIBRARY:
        signature: bytes = Ed25519PrivateKey.from_private_bytes(seed).sign(message)
        return signature
    return own_sign(seed, message)


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether ``signature`` is one of ``message`` by the owner of ``public``; False too for a key that is no point."""
    if not HAS_LIBRARY:
        return own_verify(public, message, signature)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def own_public_key(seed: bytes) -> bytes:
    return _compress(_times(_secret_scalar(seed)[0], _BASE))


def own_sign(seed: bytes, message: bytes) -> bytes:
    scalar, prefix = _secret_scalar(seed)
    public = _compress(_times(scalar, _BASE))
    nonce = _hash_to_number(prefix + message)
    commitment = _compress(_times(nonce, _BASE))
    challenge = _hash_to_number(commitment + public + message)
    return commitment + ((nonce + challenge * scalar) % _ORDER).to_bytes(32, "little")


def own_verify(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64:
        return False
    owner = _decompress(public)
    commitment = _decompress(signature[:32])
    response = int.from_bytes(signature[32:], "little")
    # A response that is not reduced would make a second signature of the same message.
    if owner is None or commitment is None or response >= _ORDER:
        return False
    challenge = _hash_to_number(signature[:32] + public + message)
    return _same(_times(response, _BASE), _add(commitment, _times(challenge, owner)))


def _hash_to_number(data: bytes) -> int:
    return int.from_bytes(hashlib.sha512(data).digest(), "little") % _ORDER


def _secret_scalar(seed: bytes) -> tuple[int, bytes]:
    if len(seed) != 32:
        raise ValueError(f"key: found {len(seed)} bytes, expected 32")
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, digest[32:]


def _add(a: _Point, b: _Point) -> _Point:
    e = (a[1] - a[0]) * (b[1] - b[0]) % _P
    f = (a[1] + a[0]) * (b[1] + b[0]) % _P
    g = 2 * a[3] * b[3] * _D % _P
    h = 2 * a[2] * b[2] % _P
    x, y, z, t = f - e, h - g, h + g, f + e
    return x * y % _P, z * t % _P, y * z % _P, x * t % _P


def _times(scalar: int, point: _Point) -> _Point:
    product: _Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            product = _add(product, point)
        point = _add(point, point)
        scalar >>= 1
    return product


def _same(a: _Point, b: _Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % _P == 0 and (a[1] * b[2] - b[1] * a[2]) % _P == 0


def _recover_x(y: int, sign: int) -> int | None:
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    if square == 0:
        return None if sign else 0
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _SQRT_MINUS_1 % _P
    if (x * x - square) % _P:
        return None
    return _P - x if x & 1 != sign else x


def _compress(point: _Point) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decompress(raw: bytes) -> _Point | None:
    number = int.from_bytes(raw, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    x = _recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % _P)


_BASE_Y = 4 * pow(5, _P - 2, _P) % _P
_BASE_X = _recover_x(_BASE_Y, 0) or 0
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)
