package dev.pheromone.session.passkey;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// A page in a browser that stands between a person and a command: nothing is asked there but for a
/// passkey.
///
/// @param origin the one address that the page has
/// @param challenges of this board
/// @param assertion what a passkey said to the last challenge, if the page was asked before
/// @param registration a new passkey, if there is one
/// @param wantsProof whether what needs no proof is proven all the same, where it can be
public record Page(
        String origin,
        Challenges challenges,
        @Nullable Assertion assertion,
        @Nullable Registration registration,
        boolean wantsProof) {

    /// Passkeys belong to a name, and an address of numbers is none.
    public static final String RP_ID = "localhost";

    /// What every browser offers: ES256, EdDSA and RS256, which Windows has.
    static final List<Integer> ALGORITHMS = List.of(-7, -8, -257);
}
