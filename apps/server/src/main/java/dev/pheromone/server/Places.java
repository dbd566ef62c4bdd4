package dev.pheromone.server;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Who may be connected. Those who have shown the token keep their places; all others share a part
/// of them, and make room for newcomers.
///
/// Whose address holds most of that part loses its oldest connection. So the newest always gets its
/// chance to show the token, and a flood from one address pushes out none but its own.
final class Places<T> {

    private final int max;
    private final int unprovenMax;
    private final Map<T, String> clients = new HashMap<>();

    /// In the order in which they came: of those that hold as many, the first makes room.
    private final Map<String, Set<T>> unproven = new LinkedHashMap<>();

    private int unprovenCount;

    /// @param max how many places there are
    /// @param unprovenMax how many of them are for those who have shown no token
    Places(int max, int unprovenMax) {
        this.max = max;
        this.unprovenMax = unprovenMax;
    }

    /// As many places as `limits` say, or half as many as the process may have files open, if that
    /// is less: a server that has no file left for the hive answers nobody.
    static <T> Places<T> within(ServerLimits limits, long filesMax) {
        int max = (int) Math.min(limits.connectionsMax(), filesMax / 2);
        return new Places<>(max, Math.min(limits.unprovenMax(), max / 4));
    }

    /// Gives `connection` a place if it can have one, and says who has to go: one that had a place,
    /// or itself.
    synchronized Optional<T> enter(T connection, InetAddress from) {
        Optional<T> leaving = Optional.empty();
        if (unprovenCount >= unprovenMax || clients.size() >= max) {
            leaving = makeRoom();
            if (leaving.isEmpty()) {
                return Optional.of(connection);
            }
        }
        String client = client(from);
        clients.put(connection, client);
        unproven.computeIfAbsent(client, _ -> new LinkedHashSet<>()).add(connection);
        unprovenCount++;
        return leaving;
    }

    /// Takes a place from one who has not shown the token, if there is any; says who has to go.
    synchronized Optional<T> makeRoom() {
        Set<T> most = Set.of();
        for (Set<T> held : unproven.values()) {
            if (held.size() > most.size()) {
                most = held;
            }
        }
        Optional<T> oldest = most.stream().findFirst();
        oldest.ifPresent(this::leave);
        return oldest;
    }

    /// Machines with IPv6 have as many addresses as they like, in one network of 64 bits, and every
    /// program of this machine has all that begin with 127.
    private static String client(InetAddress from) {
        if (from.isLoopbackAddress()) {
            return "loopback";
        }
        byte[] address = from.getAddress();
        return Arrays.toString(
                from instanceof Inet6Address ? Arrays.copyOf(address, Long.BYTES) : address);
    }

    /// `connection` has shown the token: nobody takes its place any more.
    synchronized void prove(T connection) {
        String client = clients.get(connection);
        if (client != null) {
            removeUnproven(connection, client);
        }
    }

    synchronized void leave(T connection) {
        String client = clients.remove(connection);
        if (client != null) {
            removeUnproven(connection, client);
        }
    }

    private void removeUnproven(T connection, String client) {
        Set<T> held = unproven.get(client);
        if (held != null && held.remove(connection)) {
            unprovenCount--;
            if (held.isEmpty()) {
                unproven.remove(client);
            }
        }
    }

    /// All who have a place.
    synchronized Collection<T> all() {
        return List.copyOf(clients.keySet());
    }
}
