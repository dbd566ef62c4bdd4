package dev.pheromone.mcp.hive;

import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;

/// A long text in parts that a model can afford.
///
/// @param page which of them this is, from 1 on
/// @param count how many there are
record Pages(String text, int page, int count) {

    /// About 5,000 tokens.
    static final int CHARACTERS_MAX = 16_000;

    /// The part `page` of `whole`.
    static Pages of(String whole, int page) {
        int count = Math.max(1, (whole.length() + CHARACTERS_MAX - 1) / CHARACTERS_MAX);
        if (page < 1 || page > count) {
            throw new ProblemException(
                    Code.USAGE, "page: found " + page + ", expected 1 to " + count);
        }
        int start = edge(whole, (page - 1) * CHARACTERS_MAX);
        int end = edge(whole, Math.min(whole.length(), page * CHARACTERS_MAX));
        return new Pages(whole.substring(start, end), page, count);
    }

    /// `at`, or one before it where a character of two parts would be cut.
    private static int edge(String whole, int at) {
        boolean cuts = at > 0 && at < whole.length() && Character.isLowSurrogate(whole.charAt(at));
        return cuts ? at - 1 : at;
    }
}
