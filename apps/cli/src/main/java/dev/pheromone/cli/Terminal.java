package dev.pheromone.cli;

/// Which of the program's streams are a person's terminal.
record Terminal(boolean input, boolean output) {

    static final Terminal NONE = new Terminal(false, false);
}
