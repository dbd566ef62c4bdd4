package dev.pheromone.address;

import java.net.InetAddress;
import java.net.URI;
import java.util.regex.Pattern;

/// The names of this machine that no other machine has. It decides how far mail gets by a network
/// transport, and nothing else does.
public final class Loopback {

    /// Only whole addresses: programs differ over what the short and the octal ones mean.
    private static final Pattern IPV4 = Pattern.compile("127(\\.(0|[1-9][0-9]{0,2})){3}");

    private static final Pattern IPV6 =
            Pattern.compile("[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(" + IPV4 + ")?");

    private Loopback() {}

    /// Whether `host` can only mean this machine: `localhost`, or a loopback address as it is
    /// written, an IPv6 one with or without brackets. No name is looked up: whoever answers for it
    /// could answer otherwise the next time.
    public static boolean isHost(String host) {
        if (host.equalsIgnoreCase("localhost")) {
            return true;
        }
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String literal = bracketed ? host.substring(1, host.length() - 1) : host;
        boolean isAddress =
                IPV6.matcher(literal).matches() || (!bracketed && IPV4.matcher(literal).matches());
        if (!isAddress) {
            return false;
        }
        try {
            return InetAddress.ofLiteral(literal).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /// Whether the host of `url`, which may lack its scheme, is this machine; a text without a host
    /// is not.
    public static boolean isHostOf(String url) {
        try {
            String host = URI.create(url.contains("://") ? url : "any://" + url).getHost();
            return host != null && isHost(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /// How far mail gets by the servers at `urls`, which have commas between them: `team` if every
    /// one is this machine, where nobody listens on the way; else `public`.
    public static Reach reachOf(String urls) {
        for (String url : urls.split(",", -1)) {
            if (!isHostOf(url.strip())) {
                return Reach.PUBLIC;
            }
        }
        return Reach.TEAM;
    }
}
