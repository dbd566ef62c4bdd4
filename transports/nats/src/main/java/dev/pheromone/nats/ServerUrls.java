package dev.pheromone.nats;

import dev.pheromone.address.Loopback;
import dev.pheromone.address.Reach;

/// What the addresses of servers tell about how far mail gets there.
final class ServerUrls {

    private ServerUrls() {}

    /// Team, if every server is on this machine; public, if anybody might listen on the way.
    static Reach reach(String urls) {
        return Loopback.reachOf(urls);
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
            if (!server.startsWith("tls://") && !Loopback.isHostOf(server)) {
                throw new IllegalArgumentException(
                        "url: found " + server + " with a token or password, expected tls://");
            }
        }
    }
}
