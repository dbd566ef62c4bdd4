package dev.pheromone.address;

/// Where an envelope is to go: `queen://code`, `lane://Code`, `user://you`, `worker://claude-7f3a`.
///
/// A lane may stand for several inboxes, and only the hive's configuration knows which; the other
/// three name one.
public sealed interface Address {

    int NAME_LENGTH_MAX = 64;

    /// The coordinating agent of a domain.
    record Queen(String name) implements Address {
        public Queen {
            Address.checkName("queen", name);
            if (name.startsWith(User.PREFIX)
                    || name.startsWith(Worker.PREFIX)
                    || name.startsWith("lane-")) {
                throw new IllegalArgumentException(
                        "address \"queen://"
                                + name
                                + "\" begins with a reserved prefix, expected none of user-,"
                                + " worker-, lane-");
            }
        }

        @Override
        public String toString() {
            return "queen://" + name;
        }
    }

    /// Every domain that serves a lane.
    record OfLane(Lane lane) implements Address {
        @Override
        public String toString() {
            return "lane://" + lane;
        }
    }

    /// A person.
    record User(String name) implements Address {
        static final String PREFIX = "user-";

        public User {
            Address.checkName("user", name);
        }

        @Override
        public String toString() {
            return "user://" + name;
        }
    }

    /// One agent.
    record Worker(String name) implements Address {
        static final String PREFIX = "worker-";

        public Worker {
            Address.checkName("worker", name);
        }

        @Override
        public String toString() {
            return "worker://" + name;
        }
    }

    /// Parses `scheme://name`. Fails on any other scheme, and on a name that could leave an inbox
    /// folder.
    static Address parse(String text) {
        int colon = text.indexOf("://");
        if (colon < 0) {
            throw new IllegalArgumentException(
                    "address: found \""
                            + text
                            + "\", expected queen://, lane://, user:// or worker:// and a name");
        }
        String name = text.substring(colon + 3);
        return switch (text.substring(0, colon)) {
            case "queen" -> new Queen(name);
            case "lane" -> new OfLane(Lane.parseKnown(name));
            case "user" -> new User(name);
            case "worker" -> new Worker(name);
            default ->
                    throw new IllegalArgumentException(
                            "address \""
                                    + text
                                    + "\" has unknown scheme \""
                                    + text.substring(0, colon)
                                    + "\", expected queen, lane, user or worker");
        };
    }

    /// The one inbox of this address; a lane's, where the configuration names none, is the lane's
    /// lower-case name.
    default Domain domain() {
        return switch (this) {
            case Queen(var name) -> new Domain(name);
            case OfLane(var lane) -> new Domain(lane.domainName());
            case User(var name) -> new Domain(User.PREFIX + name);
            case Worker(var name) -> new Domain(Worker.PREFIX + name);
        };
    }

    private static void checkName(String scheme, String name) {
        if (name.length() > NAME_LENGTH_MAX || !Domain.isName(name)) {
            throw new IllegalArgumentException(
                    "address \""
                            + scheme
                            + "://"
                            + name
                            + "\" has a bad name, expected 1 to 64 lower-case letters, digits,"
                            + " dashes or underscores, beginning with a letter or digit");
        }
    }
}
