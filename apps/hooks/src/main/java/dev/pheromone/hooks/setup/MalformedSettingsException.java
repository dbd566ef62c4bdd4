package dev.pheromone.hooks.setup;

/// A settings file that we can't edit, because it is no JSON or not of the form that its program
/// documents. It is left as it is.
public final class MalformedSettingsException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedSettingsException(String message) {
        super(message);
    }
}
