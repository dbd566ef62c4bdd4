package dev.pheromone.http;

import dev.pheromone.PublicCheck;
import dev.pheromone.address.Loopback;
import dev.pheromone.address.Reach;

import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.time.Duration;

import javax.net.ssl.SSLContext;

/// How to reach a hive that is served over HTTP.
///
/// @param url where it is served: `https://hive.example.org:7777`, without a path
/// @param token what it wants to be shown, or null if nothing
/// @param reach how far mail goes by this way
/// @param publicCheck looks through public mail before it leaves; without one, all of it is refused
/// @param tls whom to trust, or null for whom the Java platform trusts
/// @param timeout how long a call may take with all its tries, beside what was asked to wait for;
///   most take less, see `shortTimeout`
/// @param triesMax how often a call that may be repeated is made before it fails
public record HttpOptions(
        URI url,
        @Nullable String token,
        Reach reach,
        PublicCheck publicCheck,
        @Nullable SSLContext tls,
        Duration timeout,
        int triesMax) {

    /// Sending may be held up for seconds where an inbox is too full; a minute is enough for all.
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /// Far below any lease: who renews one has to know in time that it did not work.
    private static final Duration SHORT_MAX = Duration.ofSeconds(10);

    private static final int TRIES_MAX = 4;

    public HttpOptions {
        String scheme = String.valueOf(url.getScheme());
        if ((!scheme.equals("http") && !scheme.equals("https")) || url.getHost() == null) {
            throw new IllegalArgumentException(
                    "url: found \"" + url + "\", expected http:// or https:// and a host");
        }
        if (url.getRawUserInfo() != null || url.getRawQuery() != null) {
            throw new IllegalArgumentException(
                    "url: found a user or a query in it, expected a host alone");
        }
        if (!url.getRawPath().isEmpty() && !url.getRawPath().equals("/")) {
            throw new IllegalArgumentException(
                    "url: found path \"" + url.getRawPath() + "\", expected a host alone");
        }
        if (token != null && scheme.equals("http") && !Loopback.isHost(url.getHost())) {
            throw new IllegalArgumentException(
                    "url: found http:// to " + url.getHost() + " with a token, expected https://");
        }
        if (token != null && !token.matches("[\\x21-\\x7e]+")) {
            throw new IllegalArgumentException("token: found blanks or controls in it");
        }
        if (triesMax < 1) {
            throw new IllegalArgumentException("triesMax: found " + triesMax + ", expected 1");
        }
    }

    /// The hive at `url`: in the team's reach on this machine, else in everybody's.
    public static HttpOptions of(URI url) {
        return new HttpOptions(
                url,
                null,
                Loopback.reachOf(url.toString()),
                PublicCheck.REFUSES_ALL,
                null,
                TIMEOUT,
                TRIES_MAX);
    }

    /// The same, with the token that the server asks for.
    public HttpOptions withToken(String shown) {
        return new HttpOptions(url, shown, reach, publicCheck, tls, timeout, triesMax);
    }

    /// For whoever knows better how far mail goes by this way.
    public HttpOptions withReach(Reach declared) {
        return new HttpOptions(url, token, declared, publicCheck, tls, timeout, triesMax);
    }

    /// The same, with `looking` looking through public mail before it leaves.
    public HttpOptions withPublicCheck(PublicCheck looking) {
        return new HttpOptions(url, token, reach, looking, tls, timeout, triesMax);
    }

    /// The same, trusting whom `trusting` trusts.
    public HttpOptions withTls(SSLContext trusting) {
        return new HttpOptions(url, token, reach, publicCheck, trusting, timeout, triesMax);
    }

    /// The same, giving no call more time than `patience`.
    public HttpOptions withTimeout(Duration patience) {
        return new HttpOptions(url, token, reach, publicCheck, tls, patience, triesMax);
    }

    /// How long calls may take that nothing holds up on the other side: taking mail, renewing and
    /// settling a claim, finding an envelope.
    public Duration shortTimeout() {
        return timeout.compareTo(SHORT_MAX) < 0 ? timeout : SHORT_MAX;
    }

    /// For whoever has something better to do than to wait for a server that is away.
    public HttpOptions withTries(int most) {
        return new HttpOptions(url, token, reach, publicCheck, tls, timeout, most);
    }

    /// Never the token.
    @Override
    public String toString() {
        return url + " (" + reach + ")";
    }
}
