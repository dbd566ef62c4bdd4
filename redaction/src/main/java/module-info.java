/// What must not become public, found and marked.
module dev.pheromone.redaction {
    requires transitive dev.pheromone;
    requires re2j;
    requires static transitive org.jspecify;

    exports dev.pheromone.redaction;
}
