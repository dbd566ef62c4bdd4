package dev.pheromone.guard;

/// The locks that people set, strongest first: each forbids what the ones after it forbid, too.
public enum LockKind {
    /// Do not read: no access of any kind.
    DNR("dnr"),
    /// Reading only.
    DO_NOT_ALTER("do-not-alter"),
    /// Nothing that is there may vanish; adding is free.
    DO_NOT_ERASE("do-not-erase");

    private final String wireName;

    LockKind(String wireName) {
        this.wireName = wireName;
    }

    /// Whether a lock of this kind stands against `access`.
    public boolean forbids(Access access) {
        return switch (this) {
            case DNR -> true;
            case DO_NOT_ALTER -> access != Access.READ;
            case DO_NOT_ERASE -> access == Access.ERASE;
        };
    }

    @Override
    public String toString() {
        return wireName;
    }
}
