package dev.pheromone.mqtt;

import dev.pheromone.address.Loopback;
import dev.pheromone.address.Reach;
import dev.pheromone.address.ServerUrl;

import java.net.URI;

/// Where a broker is: `mqtt://host:1883`, or `mqtts://host:8883` for an encrypted connection.
record BrokerUrl(String host, int port, boolean isEncrypted) {

    private static final int PORT = 1883;
    private static final int PORT_ENCRYPTED = 8883;

    static BrokerUrl parse(String text) {
        URI url;
        try {
            url = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("url: found none, expected mqtt:// and a host", e);
        }
        String scheme = String.valueOf(url.getScheme());
        if ((!scheme.equals("mqtt") && !scheme.equals("mqtts")) || url.getHost() == null) {
            throw new IllegalArgumentException(
                    "url: found the scheme "
                            + scheme
                            + ", expected mqtt:// or mqtts:// and a host");
        }
        if (url.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "url: found a user or password in it, expected a login beside it");
        }
        ServerUrl.check(text);
        boolean isEncrypted = scheme.equals("mqtts");
        int usual = isEncrypted ? PORT_ENCRYPTED : PORT;
        return new BrokerUrl(url.getHost(), url.getPort() < 0 ? usual : url.getPort(), isEncrypted);
    }

    /// Team, if the broker is on this machine; public, if anybody might listen on the way.
    Reach reach() {
        return isLoopback() ? Reach.TEAM : Reach.PUBLIC;
    }

    boolean isLoopback() {
        return Loopback.isHost(host);
    }

    /// The host as a socket wants it: an IPv6 address without its brackets.
    String literal() {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    @Override
    public String toString() {
        return (isEncrypted ? "mqtts://" : "mqtt://") + host + ":" + port;
    }
}
