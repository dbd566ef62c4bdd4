package dev.pheromone.hooks;

import java.util.List;

/// Everything that a tool call would touch, as far as it can be told, and what can't be told.
///
/// @param texts the commands, as they were written
/// @param forPeople what it would do that only people do, lock or no lock
/// @param mentions texts in it that may be run, or be searched for names
/// @param moves what it moves or copies, and where to
/// @param folders in which programs are run
record Touches(
        List<Touch> touches,
        List<Doubt> doubts,
        List<String> texts,
        List<String> forPeople,
        List<String> mentions,
        List<MovedLinks.Move> moves,
        List<Shape> folders) {
    Touches {
        touches = List.copyOf(touches);
        doubts = List.copyOf(doubts);
        texts = List.copyOf(texts);
        forPeople = List.copyOf(forPeople);
        mentions = List.copyOf(mentions);
        moves = List.copyOf(moves);
        folders = List.copyOf(folders);
    }
}
