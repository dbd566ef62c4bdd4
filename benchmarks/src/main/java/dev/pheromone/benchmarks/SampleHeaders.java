package dev.pheromone.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// Headers from short to long, in each style that people, agents and YAML writers use.
final class SampleHeaders {

    static final int COUNT = 6;

    private static final String HASH = "sha256:" + "0123456789abcdef".repeat(4);

    private SampleHeaders() {}

    /// Whole envelopes with short bodies.
    static List<byte[]> envelopes() {
        List<String> headers =
                List.of(minimal(), plain(), signed(), quoted(), withBlockLists(), withStrangers());
        if (headers.size() != COUNT) {
            throw new IllegalStateException(headers.size() + " headers, expected " + COUNT);
        }
        return headers.stream()
                .map(header -> "---\n" + header + "---\n\nPlease look.\n")
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static String minimal() {
        return """
        id: 01JBRM7XCN6E9M6KQGM6K3J3E5
        ts: 2025-10-15T17:12:03Z
        from: ci
        to: [queen://code]
        lane: Code
        topic: main is red
        priority: P0
        ttl: 1h
        hash: %s
        """
                .formatted(HASH);
    }

    private static String plain() {
        return """
        id: 01JBRM7XCN6E9M6KQGM6K3J3E6
        ts: 2025-10-15T17:12:03.250Z
        from: claude-7f3a
        to: [queen://governance, user://ada]
        reply_to: worker://claude-7f3a
        correlation_id: 01JBRM7XCN6E9M6KQGM6K3J3E5
        lane: Governance
        topic: Pheromone–RSM Protocol v0.1 review
        priority: P1
        ttl: 1h30m
        scope: docs/specs/pheromone-rsm-protocol-v0.1.md
        consent: team
        hash: %s
        tags: [protocol, review]
        """
                .formatted(HASH);
    }

    private static String signed() {
        return plain()
                + "sig: ed25519-"
                + "0123456789abcdef".repeat(8)
                + "\nkid: ada-laptop\n"
                + "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n"
                + "hops: 1\n";
    }

    private static String quoted() {
        return """
        id: "01JBRM7XCN6E9M6KQGM6K3J3E7"
        ts: "2025-10-15T19:12:03.1234567+02:00"
        from: 'codex-12'
        to: ["queen://docs", 'lane://Docs']
        lane: "Docs"
        topic: "the \\"quick\\" start: what's missing? \\u2192 steps 3 & 4"
        priority: 'P3'
        ttl: "PT12H"
        scope: 'docs/it''s here.md'
        consent: "public"
        hash: "%s"
        tags: ["first step", 'second, step']
        """
                .formatted(HASH);
    }

    private static String withBlockLists() {
        return """
        id: 7d444840-9dc0-11d1-b245-5ffdce74fad2
        ts: 2025-10-15T17:12:03Z
        from: gemini
        to:
          - queen://ops
          - queen://bugs
          - user://grace
        lane: Ops
        topic: disk is filling on the build machine
        priority: P1
        ttl: 2d
        hash: %s
        tags:
        - disk
        - build
        - urgent
        attachments:
        - logs/df.txt %s
        - logs/du.txt %s
        """
                .formatted(HASH, HASH, HASH);
    }

    private static String withStrangers() {
        return """
        # written by another tool
        id: 01JBRM7XCN6E9M6KQGM6K3J3E8
        ts: 2025-10-15T17:12:03Z
        from: zoe
        to: queen://ui
        lane: UI
        topic: Knöpfe zu klein, 按钮太小
        priority: P2
        ttl: 7d
        hash: %s
        x_editor: vim
        model: some-model-3
        session: 5f0c2a
        estimate: 3h
        tags: [ui, größe, 大小]
        """
                .formatted(HASH);
    }
}
