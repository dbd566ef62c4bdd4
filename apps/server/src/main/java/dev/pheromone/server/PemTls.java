package dev.pheromone.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// A certificate and its key, as other servers take them: PEM files.
public final class PemTls {

    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    private PemTls() {}

    /// What serves with this certificate (and those that vouch for it, after it) and its key.
    ///
    /// @throws IllegalArgumentException if the files are something else, or don't belong together
    public static SSLContext context(byte[] keyPem, byte[] certificatePem) {
        try {
            Certificate[] chain =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(certificatePem))
                            .toArray(new Certificate[0]);
            if (chain.length == 0) {
                throw new IllegalArgumentException(
                        "certificate: expected a PEM file that begins with BEGIN CERTIFICATE");
            }
            // Held in memory only, so that any password will do.
            char[] password = new char[0];
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, password);
            PrivateKey key = key(keyPem);
            requirePair(key, chain[0].getPublicKey());
            store.setKeyEntry("server", key, password, chain);
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, password);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(
                    "certificate and key: expected two PEM files that belong together", e);
        }
    }

    /// Throws unless `key` signs what `certified` vouches for: no client would be let in by any
    /// other, and it alone would be told.
    private static void requirePair(PrivateKey key, PublicKey certified)
            throws GeneralSecurityException {
        byte[] something = {1, 2, 3};
        Signature signature =
                Signature.getInstance(
                        switch (key.getAlgorithm()) {
                            case "RSA" -> "SHA256withRSA";
                            case "EC" -> "SHA256withECDSA";
                            default -> "Ed25519";
                        });
        signature.initSign(key);
        signature.update(something);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(something);
        if (!signature.verify(signed)) {
            throw new SignatureException("the key is another's");
        }
    }

    private static PrivateKey key(byte[] pem) throws GeneralSecurityException {
        Matcher matcher = KEY.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        if (!matcher.find()) {
            throw new IllegalArgumentException(
                    "key: expected a PEM file with BEGIN PRIVATE KEY, without a password");
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(matcher.group(1)));
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // A key of another kind.
            }
        }
        throw new IllegalArgumentException("key: expected one of " + ALGORITHMS);
    }
}
