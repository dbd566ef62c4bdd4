package dev.pheromone.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A key and a certificate that vouches for itself, made by the JDK's own tool: for servers that
/// encrypt, and for those who are to trust them.
public final class SelfSigned {

    private static final String ALIAS = "server";
    private static final String PASSWORD = "changeit";
    private static final long PATIENCE_SECONDS = 60;

    private final Path key;
    private final Path certificate;
    private final KeyStore trusted;

    private SelfSigned(Path key, Path certificate, KeyStore trusted) {
        this.key = key;
        this.certificate = certificate;
        this.trusted = trusted;
    }

    /// Makes one.
    ///
    /// @param folder where its files are to be
    /// @param host whom it is for, such as `ip:127.0.0.1` or `dns:localhost`
    public static SelfSigned make(Path folder, String host)
            throws IOException, GeneralSecurityException, InterruptedException {
        Path file = folder.resolve("server.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                ALIAS,
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=server",
                                "-ext",
                                "SAN=" + host,
                                "-validity",
                                "2",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                PASSWORD)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (!keytool.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            keytool.destroyForcibly();
            throw new IOException("keytool: made no key in " + folder);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
        return new SelfSigned(
                pem(
                        folder.resolve("key.pem"),
                        "PRIVATE KEY",
                        store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()),
                pem(
                        folder.resolve("cert.pem"),
                        "CERTIFICATE",
                        store.getCertificate(ALIAS).getEncoded()),
                trusted);
    }

    private static Path pem(Path file, String what, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                file,
                "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n",
                StandardCharsets.US_ASCII);
    }

    /// The file with the key.
    public Path key() {
        return key;
    }

    /// The file with the certificate.
    public Path certificate() {
        return certificate;
    }

    /// What trusts this certificate and no other.
    public TrustManagerFactory trust() throws GeneralSecurityException {
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust;
    }

    /// As [#trust], for who wants a context.
    public SSLContext trusting() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust().getTrustManagers(), null);
        return context;
    }
}
