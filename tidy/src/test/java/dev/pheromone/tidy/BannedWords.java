package dev.pheromone.tidy;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The tree names no package registry, so that a mirror needs no patch, and no path of anybody's
/// machine. It leaves no reminders of unfinished work either.
///
/// Each pattern is written so that it does not match its own text.
final class BannedWords implements Rule {
    private record Ban(String message, Pattern pattern) {
        static Ban of(String message, String... alternatives) {
            return new Ban(message, Pattern.compile(String.join("|", alternatives)));
        }
    }

    private static final List<Ban> BANS =
            List.of(
                    Ban.of(
                            "names a package registry: %s",
                            "repo1?[.]maven",
                            "maven[.]central",
                            "central[.]sonatype",
                            "oss[.]sonatype",
                            "registry[.]npmjs",
                            "registry[.]yarnpkg",
                            "npm[.]pkg[.]github",
                            "pypi[.]org",
                            "files[.]pythonhosted",
                            "static[.]crates",
                            "deb[.]debian[.]org",
                            "archive[.]ubuntu",
                            "jit[.]?pack[.]io",
                            "plugins[.]gradle[.]org"),
                    Ban.of(
                            "names a path of one machine: %s",
                            "/roo[t]/",
                            "/wor[k]/(?:main|shared)",
                            "/tmp/w[t]/",
                            "/usr/lib/jvm/[a-z]+-[0-9]+-jdk[\\w-]*"),
                    Ban.of(
                            "is a reminder, not a text: %s",
                            "\\bTO[D]O\\b",
                            "\\bFIX[M]E\\b",
                            "\\bXX[X]:",
                            "(?i)\\bnot (?:yet )?implemen[t]ed\\b"));

    @Override
    public Stream<Problem> problems(Repository repository) {
        return repository.files().stream()
                .flatMap(file -> BANS.stream().flatMap(ban -> problems(file, ban)));
    }

    private static Stream<Problem> problems(TextFile file, Ban ban) {
        return ban.pattern()
                .matcher(file.text())
                .results()
                .map(found ->
                        file.problemAt(found.start(), ban.message().formatted(found.group())));
    }
}
