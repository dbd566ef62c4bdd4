package dev.pheromone.disk;

import java.security.SecureRandom;

/// Short random names for files that must not collide with any other's.
public final class Tags {

    private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
    private static final SecureRandom RANDOM = new SecureRandom();

    private Tags() {}

    public static String random(int length) {
        StringBuilder tag = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            tag.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return tag.toString();
    }
}
