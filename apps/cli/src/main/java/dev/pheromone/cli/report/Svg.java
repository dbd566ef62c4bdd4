package dev.pheromone.cli.report;

import java.util.Locale;

/// A picture in the making, in coordinates of its own.
final class Svg {

    private static final double LETTER_WIDTH = 7;

    private final StringBuilder text = new StringBuilder();

    /// @param label what those hear who can't see it
    Svg(int width, int height, String label) {
        text.append("<svg viewBox=\"0 0 ")
                .append(width)
                .append(' ')
                .append(height)
                .append("\" role=\"img\" aria-label=\"")
                .append(escaped(label))
                .append("\">\n");
    }

    /// A picture of one line.
    static String saying(String words) {
        return new Svg(920, 80, words).label("note", "middle", 460, 44, words).toString();
    }

    /// A picture as a file of its own.
    static String alone(String picture, String style) {
        int end = picture.indexOf('>') + 1;
        return picture.substring(0, end)
                        .replace("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ")
                + "\n<style>\n"
                + style
                + "</style>"
                + picture.substring(end);
    }

    Svg rect(String style, double x, double y, double width, double height, String title) {
        text.append("<rect class=\"")
                .append(style)
                .append("\" x=\"")
                .append(number(x))
                .append("\" y=\"")
                .append(number(y))
                .append("\" width=\"")
                .append(number(Math.max(0, width)))
                .append("\" height=\"")
                .append(number(Math.max(0, height)))
                .append("\"><title>")
                .append(escaped(title))
                .append("</title></rect>\n");
        return this;
    }

    Svg line(String style, double x1, double y1, double x2, double y2) {
        text.append("<line class=\"")
                .append(style)
                .append("\" x1=\"")
                .append(number(x1))
                .append("\" y1=\"")
                .append(number(y1))
                .append("\" x2=\"")
                .append(number(x2))
                .append("\" y2=\"")
                .append(number(y2))
                .append("\"/>\n");
        return this;
    }

    Svg path(String style, String points) {
        text.append("<path class=\"")
                .append(style)
                .append("\" d=\"")
                .append(points)
                .append("\"/>\n");
        return this;
    }

    /// @param anchor `start`, `middle` or `end`
    Svg label(String style, String anchor, double x, double y, String words) {
        text.append("<text class=\"")
                .append(style)
                .append("\" text-anchor=\"")
                .append(anchor)
                .append("\" x=\"")
                .append(number(x))
                .append("\" y=\"")
                .append(number(y))
                .append("\">")
                .append(escaped(words))
                .append("</text>\n");
        return this;
    }

    /// About how wide `words` are when drawn; letters of a browser's own font are rarely wider.
    static double width(String words) {
        return LETTER_WIDTH * words.length();
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    static String escaped(String words) {
        return words.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    @Override
    public String toString() {
        return text + "</svg>\n";
    }
}
