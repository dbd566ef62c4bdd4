package dev.pheromone.testkit;

/// The ways to choose that a simulation compares.
public enum Discipline {
    /// What this project does.
    OURS("ours") {
        @Override
        PickOrder order() {
            return new PickOrder.Ours();
        }
    },
    /// The class as sent, then age.
    STRICT("strict priority") {
        @Override
        PickOrder order() {
            return PickOrder.Sorted.byClass();
        }
    },
    /// The weight w(t), as the formula of decay gives it.
    WEIGHT("literal weight") {
        @Override
        PickOrder order() {
            return PickOrder.Sorted.byWeight();
        }
    };

    private final String words;

    Discipline(String words) {
        this.words = words;
    }

    abstract PickOrder order();

    @Override
    public String toString() {
        return words;
    }
}
