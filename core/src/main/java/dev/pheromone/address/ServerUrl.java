package dev.pheromone.address;

/// Where a server is, as a configuration says it: `scheme://host` or `scheme://host:port`, and
/// nothing else. A mistake is found here, where there is a line to name, and not when mail is sent.
public final class ServerUrl {

    private static final int PORT_MAX = 65_535;

    private ServerUrl() {}

    /// Fails unless `url` is one server, or several with commas between them.
    public static void check(String url) {
        String scheme = url.substring(0, url.indexOf("://") + "://".length());
        for (String one : url.split(",", -1)) {
            String text = one.strip();
            checkServer(text, text.startsWith(scheme) ? text.substring(scheme.length()) : text);
        }
    }

    private static void checkServer(String url, String rest) {
        int end = 0;
        while (end < rest.length() && "/?#".indexOf(rest.charAt(end)) < 0) {
            end++;
        }
        String after = rest.substring(end);
        if (!after.isEmpty() && !after.equals("/")) {
            throw wrong("found \"%s\" after the host in \"%s\", expected nothing", after, url);
        }
        String place = rest.substring(0, end);
        int colon = place.indexOf(':', place.startsWith("[") ? place.indexOf(']') + 1 : 0);
        String host = colon < 0 ? place : place.substring(0, colon);
        if (host.isEmpty() || host.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
            throw wrong("found no host in \"%s\", expected one%s", url, "");
        }
        if (colon >= 0 && !isPort(place.substring(colon + 1))) {
            throw wrong(
                    "found port \"%s\" in \"%s\", expected 1 to 65535",
                    place.substring(colon + 1), url);
        }
    }

    private static boolean isPort(String text) {
        if (text.isEmpty()
                || text.length() > 5
                || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return false;
        }
        int port = Integer.parseInt(text);
        return port >= 1 && port <= PORT_MAX;
    }

    private static IllegalArgumentException wrong(String problem, String first, String second) {
        return new IllegalArgumentException("url: " + String.format(problem, first, second));
    }
}
