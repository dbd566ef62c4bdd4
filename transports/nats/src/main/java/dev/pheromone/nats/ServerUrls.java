package dev.pheromone.nats;

import dev.pheromone.Reach;

import java.net.URI;
import java.util.Locale;

/// What the addresses of servers tell about how far mail gets there.
final class ServerUrls {

    private ServerUrls() {}

    /// Team, if every server is on this machine; public, if anybody might listen on the way.
    static Reach reach(String urls) {
        for (String url : urls.split(",", -1)) {
            if (!isLoopback(host(url.strip()))) {
                return Reach.PUBLIC;
            }
        }
        return Reach.TEAM;
    }

    /// What is in a url is shown in messages, and kept in files.
    static void requireNoLogin(String urls) {
        if (urls.contains("@")) {
            throw new IllegalArgumentException(
                    "url: found a user, password or token in it, expected it as a login");
        }
    }

    /// A secret goes in plain text to nobody but this machine.
    static void requireEncryption(String urls) {
        for (String url : urls.split(",", -1)) {
            String server = url.strip();
            if (!server.startsWith("tls://") && !isLoopback(host(server))) {
                throw new IllegalArgumentException(
                        "url: found " + server + " with a token or password, expected tls://");
            }
        }
    }

    private static String host(String url) {
        try {
            String host = URI.create(url.contains("://") ? url : "nats://" + url).getHost();
            return host == null ? "" : host.toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /// By name alone: what a name resolves to may change.
    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d+){3}");
    }
}
