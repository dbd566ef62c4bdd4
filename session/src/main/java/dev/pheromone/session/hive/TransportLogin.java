package dev.pheromone.session.hive;

import dev.pheromone.HiveConfig.TransportConfig;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.UserFolder;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// The secrets and certificates that a transport of `hive.yaml` names: files of the user's, never
/// of the hive's.
final class TransportLogin {

    private static final int CERTIFICATE_BYTES_MAX = 256 * 1024;

    private final Caller caller;
    private final HiveLayout layout;
    private final String name;
    private final TransportConfig config;

    TransportLogin(Caller caller, HiveLayout layout, String name, TransportConfig config) {
        this.caller = caller;
        this.layout = layout;
        this.name = name;
        this.config = config;
    }

    /// The token, or null if there is none to show.
    @Nullable String token() throws IOException {
        String file = config.login().tokenFile();
        return file == null ? null : secret("token_file", file);
    }

    @Nullable String user() {
        return config.login().user();
    }

    @Nullable String password() throws IOException {
        String file = config.login().passwordFile();
        return file == null ? null : secret("password_file", file);
    }

    /// Whom to trust, or null for whom the Java platform trusts.
    @Nullable SSLContext trusted() throws IOException {
        @Nullable TrustManagerFactory trust = trustManagers();
        if (trust == null) {
            return null;
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw wrong("ca_file", String.valueOf(e.getMessage()), e);
        }
    }

    /// As [#trusted], for libraries that make their own context.
    @Nullable TrustManagerFactory trustManagers() throws IOException {
        String file = config.caFile();
        if (file == null) {
            return null;
        }
        byte[] pem = caller.read(place("ca_file", file), CERTIFICATE_BYTES_MAX);
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int count = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem))) {
                store.setCertificateEntry("ca" + count++, certificate);
            }
            if (count == 0) {
                throw new GeneralSecurityException("found none");
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust;
        } catch (GeneralSecurityException e) {
            throw wrong("ca_file", file + " has no certificate that can be read, expected PEM", e);
        }
    }

    private String secret(String key, String file) throws IOException {
        Path place = place(key, file);
        String secret;
        try {
            secret = new String(caller.readSecret(place), StandardCharsets.UTF_8).strip();
        } catch (NoSuchFileException e) {
            throw wrong(key, "found no file " + place + ", expected one with mode rw-------", e);
        }
        if (secret.isEmpty() || secret.indexOf('\n') >= 0) {
            throw wrong(key, place + ": found no secret, expected one line", null);
        }
        return secret;
    }

    /// Where a file is: `~` is the user's home, and a relative path begins in the folder of the
    /// user's keys.
    private Path place(String key, String file) {
        Path place =
                file.startsWith("~/")
                        ? caller.home().resolve(file.substring(2))
                        : caller.folder().path().resolve(file);
        if (UserFolder.real(place).startsWith(layout.hive())) {
            throw wrong(key, "found a file of the hive, expected one outside of it", null);
        }
        return place.normalize();
    }

    private ProblemException wrong(String key, String problem, @Nullable Exception cause) {
        String message = "transport " + name + ": " + key + ": " + problem;
        return cause == null
                ? new ProblemException(ProblemException.Code.BAD_CONFIGURATION, message)
                : new ProblemException(ProblemException.Code.BAD_CONFIGURATION, message, cause);
    }
}
