package dev.pheromone.tidy;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A relative link in a document leads to a file or folder of the tree, and to a heading if it
/// names one.
final class Links implements Rule {
    private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\\n]*`");
    private static final Pattern LINK =
            Pattern.compile("\\]\\(<?([^)>\\s]+)>?(?:\\s+\"[^\"]*\")?\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z0-9+.-]*:.*");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *#*$");

    @Override
    public Stream<Problem> problems(Repository repository) {
        return repository.files().stream()
                .filter(file -> file.isNamed(".md"))
                // Vectors are mail in every shape, not documents.
                .filter(file -> !file.path().startsWith(Path.of("spec", "vectors")))
                .flatMap(file -> broken(file, repository));
    }

    private static Stream<Problem> broken(TextFile file, Repository repository) {
        String prose = CODE.matcher(file.text()).replaceAll(Links::blank);
        return LINK.matcher(prose)
                .results()
                .filter(link -> !ELSEWHERE.matcher(link.group(1)).matches())
                .filter(link -> !leadsSomewhere(file, link.group(1), repository))
                .map(link -> file.problemAt(link.start(), "link leads nowhere: " + link.group(1)));
    }

    private static String blank(MatchResult code) {
        return code.group().replaceAll("[^\\n]", " ");
    }

    private static boolean leadsSomewhere(TextFile from, String link, Repository repository) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target = path.isEmpty() ? from.path() : from.path().resolveSibling(path).normalize();
        if (hash < 0) {
            // A folder exists if something is in it, as in git.
            return repository.others().contains(target)
                    || repository.files().stream().anyMatch(file -> file.path().startsWith(target));
        }
        String heading = link.substring(hash + 1);
        return repository.files().stream()
                .filter(file -> file.path().equals(target))
                .anyMatch(file -> anchors(file).contains(heading));
    }

    private static Set<String> anchors(TextFile file) {
        return HEADING.matcher(file.text())
                .results()
                .map(found -> found.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }
}
