package dev.pheromone.guard;

/// The locks that people set, strongest first: each forbids what the ones after it forbid, too.
public enum LockKind {
    DNR("dnr"),
    DO_NOT_ALTER("do-not-alter"),
    DO_NOT_ERASE("do-not-erase");

    private final String wireName;

    LockKind(String wireName) {
        this.wireName = wireName;
    }

    @Override
    public String toString() {
        return wireName;
    }
}
