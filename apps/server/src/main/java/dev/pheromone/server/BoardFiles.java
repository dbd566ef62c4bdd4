package dev.pheromone.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The files of the board's page: our own, and the view library's as its package has them.
final class BoardFiles {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*\\.([a-z0-9]+)");

    private static final Map<String, String> TYPES =
            Map.of(
                    "html", "text/html; charset=utf-8",
                    "js", "text/javascript; charset=utf-8",
                    "css", "text/css; charset=utf-8",
                    "svg", "image/svg+xml",
                    "png", "image/png",
                    "json", "application/json",
                    "webmanifest", "application/manifest+json");

    /// Nothing but this server's own files, no page around it, and no script that is not a file.
    private static final Map<String, String> HEADERS =
            Map.of(
                    "Content-Security-Policy",
                    "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri"
                            + " 'none'; form-action 'none'",
                    "Referrer-Policy",
                    "no-referrer",
                    "Cross-Origin-Opener-Policy",
                    "same-origin");

    private final Map<String, byte[]> vendor;

    BoardFiles() throws IOException {
        Properties preact = new Properties();
        preact.load(new ByteArrayInputStream(inPackages("dev/pheromone/server/preact.properties")));
        String folder = preact.getProperty("folder");
        String hooks =
                new String(
                        inPackages(folder + "/hooks/dist/hooks.module.js"), StandardCharsets.UTF_8);
        vendor =
                Map.of(
                        "preact.js",
                        inPackages(folder + "/dist/preact.module.js"),
                        // A browser finds modules by address alone.
                        "hooks.js",
                        hooks.replace("\"preact\"", "\"./preact.js\"")
                                .getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] inPackages(String name) throws IOException {
        try (InputStream in = BoardFiles.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource " + name + " is missing");
            }
            return in.readAllBytes();
        }
    }

    /// The file of our own.
    Reply own(String name) throws IOException {
        if (NAME.matcher(name).matches()) {
            try (InputStream in = BoardFiles.class.getResourceAsStream("board/" + name)) {
                return reply(name, Optional.ofNullable(in == null ? null : in.readAllBytes()));
            }
        }
        return reply(name, Optional.empty());
    }

    Reply vendor(String name) {
        return reply(name, Optional.ofNullable(vendor.get(name)));
    }

    private static Reply reply(String name, Optional<byte[]> bytes) {
        Matcher matcher = NAME.matcher(name);
        String type = matcher.matches() ? TYPES.get(matcher.group(1)) : null;
        if (type == null || bytes.isEmpty()) {
            throw Problem.of(404, "not_found", "no such file").thrown();
        }
        return Reply.bytes(200, type, bytes.get()).with(HEADERS);
    }
}
