package dev.pheromone.envelope;

/// Some ASCII characters, of which whole texts are made: looked up rather than compared, because
/// digits and letters that alternate at random are hard to foresee for a processor.
final class AsciiSet {

    static final AsciiSet HEX = new AsciiSet("0123456789abcdef");

    private final boolean[] members = new boolean[0x80];

    AsciiSet(String characters) {
        for (int i = 0; i < characters.length(); i++) {
            members[characters.charAt(i)] = true;
        }
    }

    boolean contains(int c) {
        return c >= 0 && c < members.length && members[c];
    }

    boolean containsAll(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!contains(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }
}
