package dev.pheromone.http;

import java.net.InetAddress;

/// The names of this machine that no other machine has.
public final class Loopback {

    private Loopback() {}

    /// Whether `host` can only mean this machine. No name is looked up: whoever answers for it
    /// could answer otherwise the next time.
    public static boolean isName(String host) {
        if (host.equalsIgnoreCase("localhost")) {
            return true;
        }
        String literal =
                host.startsWith("[") && host.endsWith("]")
                        ? host.substring(1, host.length() - 1)
                        : host;
        try {
            return InetAddress.ofLiteral(literal).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
