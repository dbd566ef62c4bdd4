package dev.pheromone.tidy;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// A folder with a pom, and what the pom says that it depends on.
record MavenModule(TextFile pom, String folder, String artifact, List<Dependency> dependencies) {
    private static final Pattern PARENT = Pattern.compile("(?s)<parent>.*?</parent>");
    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");

    /// An entry of a pom; `main` unless its scope is test.
    record Dependency(String group, String artifact, boolean main) {
        boolean isOurs() {
            return group.equals("dev.pheromone");
        }

        @Override
        public String toString() {
            return group + ":" + artifact;
        }
    }

    static MavenModule of(TextFile pom) {
        String folder = pom.path().getParent().toString().replace('\\', '/');
        String own = PARENT.matcher(pom.text()).replaceAll("");
        var dependencies = DEPENDENCY.matcher(own).results().map(MavenModule::dependency).toList();
        return new MavenModule(pom, folder, element(own, "artifactId"), dependencies);
    }

    private static Dependency dependency(MatchResult found) {
        String text = found.group(1);
        boolean main = !element(text, "scope").equals("test");
        return new Dependency(element(text, "groupId"), element(text, "artifactId"), main);
    }

    private static String element(String text, String name) {
        var matcher =
                Pattern.compile("<" + name + ">\\s*([^<]*?)\\s*</" + name + ">").matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }
}
