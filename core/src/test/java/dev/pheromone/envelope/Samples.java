package dev.pheromone.envelope;

import java.nio.charset.StandardCharsets;

/// Envelopes that are as they should be, for tests to begin from.
final class Samples {

    static final String BODY = "Please look at the parser.\n\n---\nid: not a header\n---\n";

    static final String HASH = ContentHash.of(BODY.getBytes(StandardCharsets.UTF_8)).toString();

    static final String MINIMAL =
            """
            ---
            id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE
            ts: 2025-11-03T09:15:30Z
            from: claude-7f3a
            to: [queen://code]
            lane: Code
            topic: review the parser
            priority: P1
            ttl: 1h
            hash: %s
            ---
            """
                            .formatted(HASH)
                    + BODY;

    static final String FULL =
            """
            ---
            id: 0190f3a2-7c1e-7b3d-9a55-0c2d8e4f6a11
            ts: 2025-11-03T09:15:30.123456789+02:00
            from: ada
            to: ["queen://code", 'lane://ui' , user://ada]   # three
            reply_to: worker://claude-7f3a
            correlation_id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE
            # kept
            lane: governance
            topic: "caf\\u00e9: \\"quoted\\" \\ud83d\\ude00"

            priority: P0
            ttl: PT90M
            scope: core/src/main
            consent: private
            kid: laptop-1
            hash: %s
            tags: [parser, "#1", 'it''s']
            attachments: ["build/report 1.html sha256:%s"]
            traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
            hops: 1
            x_colour: green
            ---
            """
                            .formatted(HASH, "ab".repeat(32))
                    + BODY;

    static final String BLOCK_LISTS =
            MINIMAL.replace(
                            "to: [queen://code]\n",
                            "to:\n  - queen://code\n# between\n  - \"user://ada\" # two\n")
                    .replace("ttl: 1h\n", "ttl: 1h\ntags:\n- one\n- -two\n- 'three'\nscope:\n");

    static final String QUOTED =
            MINIMAL.replace("topic: review the parser", "topic: 'it''s # not: a comment'")
                    .replace("from: claude-7f3a", "from: \"claude-7f3a\" ")
                    .replace("to: [queen://code]", "to: queen://code #x");

    private Samples() {}
}
