package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.Set;

/// What a program does with one of its arguments.
enum Role {
    /// Nothing with a file of that name.
    DATA,
    READ,
    /// Replaces what is there.
    WRITE,
    /// Adds to what is there, or to the folder.
    APPEND,
    ERASE,
    CHANGE,
    /// The last operand of `cp` and its like: a file, or a folder that gets the others' names.
    TARGET,
    /// Data, unless it begins with `@`: then the file of that name is read.
    AT_FILE,
    /// An address on the network, or of a file.
    URL,
    /// A build tool's goal: a path only if it looks like one.
    GOAL,
    /// A number: data, and what is none is not taken for the option's value.
    NUMBER,
    /// A file that has the names of others in it.
    LIST,
    /// A shell command.
    SCRIPT,
    /// A command in some form that we don't follow.
    OPAQUE;

    Set<Access> access() {
        return switch (this) {
            case DATA, NUMBER, SCRIPT, OPAQUE -> Set.of();
            case READ, AT_FILE, URL, LIST -> Set.of(Access.READ);
            case WRITE, TARGET -> Set.of(Access.WRITE, Access.ERASE);
            case APPEND -> Set.of(Access.WRITE);
            case ERASE -> Set.of(Access.ERASE);
            case CHANGE, GOAL -> Set.of(Access.READ, Access.WRITE, Access.ERASE);
        };
    }
}
