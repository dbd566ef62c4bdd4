package dev.pheromone.cli;

/// Which of the program's streams are a person's terminal.
record Terminal(boolean input, boolean output, boolean error) {

    static final Terminal NONE = new Terminal(false, false, false);
}
