"""Ed25519 against the test vectors of RFC 8032, and our arithmetic against the library's."""

from __future__ import annotations

import unittest

from pheromone import ed25519

# Section 7.1: secret key, public key, message, signature.
RFC_8032 = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
        "655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
        "b00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
        "c027beceea1ec40a",
    ),
)
ORDER = 2**252 + 27742317777372353535851937790883648493


class Ed25519Test(unittest.TestCase):
    def test_the_rfc_s_own_cases(self) -> None:
        for secret, public, message, signature in RFC_8032:
            seed, text, expected = bytes.fromhex(secret), bytes.fromhex(message), bytes.fromhex(signature)
            for make_key, sign, verify in (
                (ed25519.own_public_key, ed25519.own_sign, ed25519.own_verify),
                (ed25519.public_key, ed25519.sign, ed25519.verify),
            ):
                self.assertEqual(public, make_key(seed).hex())
                self.assertEqual(expected, sign(seed, text))
                self.assertTrue(verify(bytes.fromhex(public), text, expected))

    def test_nothing_else_verifies(self) -> None:
        secret, public, message, signature = RFC_8032[1]
        key, text, good = bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)
        unreduced = (int.from_bytes(good[32:], "little") + ORDER).to_bytes(32, "little")
        for bad in (good[:-1], good + b"\0", good[:32] + unreduced, b"\xff" * 64, bytes(64)):
            self.assertFalse(ed25519.own_verify(key, text, bad))
            self.assertFalse(ed25519.verify(key, text, bad))
        for no_key in (b"\xff" * 32, key[:-1], (2).to_bytes(32, "little")):
            self.assertFalse(ed25519.own_verify(no_key, text, good))
            self.assertFalse(ed25519.verify(no_key, text, good))
        self.assertFalse(ed25519.own_verify(key, text + b"x", good))


if __name__ == "__main__":
    unittest.main()
