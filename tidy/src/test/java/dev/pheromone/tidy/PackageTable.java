package dev.pheromone.tidy;

import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Every package has a row in ARCHITECTURE's table that says how large the package is, and no row
/// is for a package that is gone. A size may be off by a tenth: it shows where the weight lies, and
/// nobody has to change the page for each line.
final class PackageTable implements Rule {
    private static final String PAGE = "ARCHITECTURE.md";
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(dev\\.[\\w.]+)` \\| ([\\d,]+) \\| ([\\d,]+) \\|");

    private record Size(int classes, int lines) {
        Size plus(Size other) {
            return new Size(classes + other.classes, lines + other.lines);
        }

        boolean isAbout(Size other) {
            return isAbout(classes, other.classes, 2) && isAbout(lines, other.lines, 50);
        }

        private static boolean isAbout(int a, int b, int leastRoom) {
            return Math.abs(a - b) <= Math.max(leastRoom, b / 10);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "| %d | %,d |", classes, lines);
        }
    }

    @Override
    public Stream<Problem> problems(Repository repository) {
        SortedMap<String, Size> sizes = new TreeMap<>();
        repository
                .mainSources()
                .filter(source -> !source.packageName().isEmpty())
                .forEach(source -> {
                    int classes = source.name().equals("package-info") ? 0 : 1;
                    sizes.merge(
                            source.packageName(),
                            new Size(classes, source.file().lineCount()),
                            Size::plus);
                });
        return repository.file(PAGE).stream().flatMap(page -> compare(page, sizes));
    }

    private static Stream<Problem> compare(TextFile page, SortedMap<String, Size> sizes) {
        SortedMap<String, Size> missing = new TreeMap<>(sizes);
        Stream<Problem> wrong =
                ROW
                        .matcher(page.text())
                        .results()
                        .<Problem>mapMulti((row, problems) -> {
                            Size size = sizes.get(row.group(1));
                            missing.remove(row.group(1));
                            if (size == null) {
                                problems.accept(at(page, row, "is no package any more"));
                            } else if (!said(row).isAbout(size)) {
                                problems.accept(at(page, row, "is " + size + " by now"));
                            }
                        })
                        .toList()
                        .stream();
        return Stream.concat(
                wrong,
                missing.entrySet().stream()
                        .map(each ->
                                page.problem(
                                        "has no row | `%s` %s"
                                                .formatted(each.getKey(), each.getValue()))));
    }

    private static Size said(MatchResult row) {
        return new Size(number(row.group(2)), number(row.group(3)));
    }

    private static int number(String text) {
        return Integer.parseInt(text.replace(",", ""));
    }

    private static Problem at(TextFile page, MatchResult row, String what) {
        return page.problemAt(row.start(), row.group(1) + " " + what);
    }
}
