package dev.pheromone.cli.frame;

/// Which of the program's streams are a person's terminal.
public record Terminal(boolean input, boolean output, boolean error) {

    public static final Terminal NONE = new Terminal(false, false, false);
}
