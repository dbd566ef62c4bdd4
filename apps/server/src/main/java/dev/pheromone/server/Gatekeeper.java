package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Loopback;
import dev.pheromone.envelope.ContentHash;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Decides whether a request is looked at at all.
///
/// A browser on this machine can be made to call us by any page that it shows. So a request must
/// name us by an address, or by a name that is known to be ours (another name may have been pointed
/// here), and must not come from a page of somebody else's.
final class Gatekeeper {

    private static final String BEARER = "Bearer ";

    /// A page of this server, or what a person typed into the browser.
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private static final List<String> PAGE = List.of("");
    private static final Set<List<String>> OPEN = Set.of(List.of("healthz"), PAGE);

    private final Set<String> hosts;
    private final String scheme;
    private final byte @Nullable [] tokenHash;
    private final Function<String, Optional<Actor>> actors;
    private final Function<String, Optional<Actor>> paired;

    /// @param paired for whom a browser speaks, by its secret
    Gatekeeper(ServerOptions options, Function<String, Optional<Actor>> paired) {
        this.paired = paired;
        this.hosts = options.hosts();
        this.scheme = options.tls() == null ? "http" : "https";
        this.actors = options.actors();
        this.tokenHash = options.token() == null ? null : hash(options.token());
    }

    /// Throws if the request is not to be looked at.
    void check(Call call) {
        String host = checkHost(call);
        checkOrigin(call, host);
        checkSite(call);
        checkToken(call);
    }

    private String checkHost(Call call) {
        List<String> given = call.headers("Host");
        if (given.size() == 1) {
            String host = given.getFirst().strip().toLowerCase(Locale.ROOT);
            if (isOurs(withoutPort(host))) {
                return host;
            }
        }
        throw Problem.of(421, "wrong_host", "Host: expected an address or a name of this server")
                .thrown();
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    }

    private boolean isOurs(String name) {
        if (Loopback.isHost(name) || hosts.contains(name)) {
            return true;
        }
        String literal =
                name.startsWith("[") && name.endsWith("]")
                        ? name.substring(1, name.length() - 1)
                        : name;
        try {
            InetAddress _ = InetAddress.ofLiteral(literal);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void checkOrigin(Call call, String host) {
        for (String origin : call.headers("Origin")) {
            if (!origin.strip().toLowerCase(Locale.ROOT).equals(scheme + "://" + host)) {
                throw Problem.of(403, "wrong_origin", "Origin: expected a page of this server")
                        .thrown();
            }
        }
    }

    /// A browser says by itself whether a page of another server asks: for requests, too, that have
    /// no `Origin`. Programs do not send the header.
    private static void checkSite(Call call) {
        if (isVisit(call)) {
            return;
        }
        for (String site : call.headers("Sec-Fetch-Site")) {
            if (!OWN_SITES.contains(site.strip().toLowerCase(Locale.ROOT))) {
                throw Problem.of(
                                403, "wrong_origin", "Sec-Fetch-Site: expected same-origin or none")
                        .thrown();
            }
        }
    }

    /// Whether somebody goes to the board's page, by whatever link: nothing of the hive is in it,
    /// and no page of another server can look into it.
    private static boolean isVisit(Call call) {
        return call.path().equals(PAGE)
                && call.isRead()
                && call.headers("Sec-Fetch-Mode").equals(List.of("navigate"))
                && call.headers("Sec-Fetch-Dest").equals(List.of("document"));
    }

    private void checkToken(Call call) {
        List<String> given = call.headers("Authorization");
        boolean allowed = given.size() == 1 && isToken(given.getFirst());
        if (call.path().equals(McpRoutes.PATH)) {
            checkActor(call, allowed, given);
        } else if (allowed) {
            call.prove();
        } else if (!isOpen(call)) {
            Optional<Actor> actor =
                    isForBrowsers(call) && given.size() == 1
                            ? paired.apply(shown(given.getFirst()))
                            : Optional.empty();
            call.prove(actor.orElseThrow(Gatekeeper::unauthorized));
        }
    }

    /// Whether a paired browser may ask for it, and not only those with the token.
    private static boolean isForBrowsers(Call call) {
        List<String> path = call.path();
        return path.equals(List.of("rse", "sse"))
                || (path.size() > 1 && path.get(0).equals("v1") && path.get(1).equals("board"));
    }

    /// Tools act in somebody's name, which the token of all clients does not tell.
    private void checkActor(Call call, boolean isCommon, List<String> given) {
        if (isCommon) {
            throw Problem.of(
                            403,
                            "wrong_token",
                            "Authorization: found the token of all clients, expected one made for"
                                    + " one actor: rsm serve --token-for ACTOR")
                    .thrown();
        }
        Optional<Actor> actor =
                given.size() == 1 ? actors.apply(shown(given.getFirst())) : Optional.empty();
        if (actor.isEmpty()) {
            throw unauthorized();
        }
        call.prove(actor.get());
    }

    /// The same for none, a wrong one, and where there is none to be right.
    private static ProblemException unauthorized() {
        return Problem.of(401, "unauthorized", "Authorization: expected the bearer token")
                .with("WWW-Authenticate", "Bearer")
                // Places are for those who have the token.
                .with("Connection", "close")
                .thrown();
    }

    /// Whether anybody may know the answer: that a server is here, and what the board's page looks
    /// like without anything in it. On this machine too, where other users and any program of
    /// theirs could ask.
    private static boolean isOpen(Call call) {
        List<String> path = call.path();
        return call.isRead()
                ? OPEN.contains(path)
                        || (path.size() > 1 && path.getFirst().equals(BoardRoutes.PATH))
                : path.equals(BoardRoutes.PAIR);
    }

    private boolean isToken(String authorization) {
        byte[] right = tokenHash;
        boolean bearer = isBearer(authorization);
        String shown = shown(authorization);
        // Hashes have one length, so that comparing them takes one time.
        return MessageDigest.isEqual(hash(shown), right == null ? new byte[0] : right) && bearer;
    }

    private static boolean isBearer(String authorization) {
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
    }

    /// What a client shows, which was looked at before.
    static String shown(Call call) {
        return shown(call.header("Authorization").orElse(""));
    }

    private static String shown(String authorization) {
        return isBearer(authorization) ? authorization.substring(BEARER.length()).strip() : "";
    }

    private static byte[] hash(String token) {
        return ContentHash.sha256().digest(token.getBytes(StandardCharsets.UTF_8));
    }
}
