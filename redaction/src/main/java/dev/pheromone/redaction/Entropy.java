package dev.pheromone.redaction;

import java.util.HashMap;
import java.util.Map;

/// How evenly a text uses its characters: what tells a random token from a word.
final class Entropy {

    private Entropy() {}

    /// Shannon's entropy in bits a character: 0 for `aaaa`, 4 for sixteen different ones.
    static double bitsPerCharacter(String text) {
        Map<Character, Integer> counts = new HashMap<>();
        for (int i = 0; i < text.length(); i++) {
            counts.merge(text.charAt(i), 1, Integer::sum);
        }
        double bits = 0;
        for (int count : counts.values()) {
            double share = (double) count / text.length();
            bits -= share * Math.log(share) / Math.log(2);
        }
        return bits;
    }
}
