package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Loopback;
import dev.pheromone.address.Reach;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import javax.net.ssl.SSLContext;

/// Where and for whom a hive is served.
///
/// @param bind the address to listen at; port 0 takes a free one
/// @param token what clients have to show, from this machine too; without one nobody gets in
/// @param mode whether anything can be changed at all
/// @param hosts names by which clients may call the server, beside its addresses
/// @param tls the certificate and key, or null for plain HTTP
/// @param reach how far what is given out may get: mail beyond its sender's consent stays
/// @param actors whose token one is, of those made for one actor; asked for each request of theirs
public record ServerOptions(
        InetSocketAddress bind,
        @Nullable String token,
        Mode mode,
        Set<String> hosts,
        @Nullable SSLContext tls,
        Reach reach,
        ServerLimits limits,
        Function<String, Optional<Actor>> actors) {

    /// Whether clients may send and take mail, or look only.
    public enum Mode {
        READ_WRITE,
        READ_ONLY
    }

    /// Shorter ones can be guessed.
    public static final int TOKEN_LENGTH_MIN = 16;

    public ServerOptions {
        hosts = Set.copyOf(hosts);
        if (token != null && !token.matches("[\\x21-\\x7e]{" + TOKEN_LENGTH_MIN + ",}")) {
            throw new IllegalArgumentException(
                    "token: expected at least "
                            + TOKEN_LENGTH_MIN
                            + " printable characters without blanks");
        }
    }

    /// Served at `bind`: to the team if that is this machine, else to everybody.
    public static ServerOptions at(InetSocketAddress bind) {
        return new ServerOptions(
                bind,
                null,
                Mode.READ_WRITE,
                Set.of(),
                null,
                isLoopback(bind) ? Reach.TEAM : Reach.PUBLIC,
                ServerLimits.defaults(),
                _ -> Optional.empty());
    }

    /// Whether only this machine can connect.
    public static boolean isLoopback(InetSocketAddress bind) {
        return bind.getAddress() == null
                ? Loopback.isHost(bind.getHostString())
                : bind.getAddress().isLoopbackAddress();
    }

    public ServerOptions withToken(String shown) {
        return new ServerOptions(bind, shown, mode, hosts, tls, reach, limits, actors);
    }

    public ServerOptions readOnly() {
        return new ServerOptions(bind, token, Mode.READ_ONLY, hosts, tls, reach, limits, actors);
    }

    public ServerOptions withHosts(Set<String> names) {
        return new ServerOptions(bind, token, mode, names, tls, reach, limits, actors);
    }

    public ServerOptions withTls(SSLContext context) {
        return new ServerOptions(bind, token, mode, hosts, context, reach, limits, actors);
    }

    public ServerOptions withReach(Reach declared) {
        return new ServerOptions(bind, token, mode, hosts, tls, declared, limits, actors);
    }

    public ServerOptions withLimits(ServerLimits other) {
        return new ServerOptions(bind, token, mode, hosts, tls, reach, other, actors);
    }

    public ServerOptions withActors(Function<String, Optional<Actor>> known) {
        return new ServerOptions(bind, token, mode, hosts, tls, reach, limits, known);
    }

    /// Never the token.
    @Override
    public String toString() {
        return bind + " (" + reach + ", " + mode + ")";
    }
}
