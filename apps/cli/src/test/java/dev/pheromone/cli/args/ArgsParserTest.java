package dev.pheromone.cli.args;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

class ArgsParserTest {

    private static final Spec SEND =
            Spec.of("send", Group.AGENTS, "sends mail")
                    .optional("BODY|-", "the text")
                    .opt(Opt.value("to", "ADDRESS", "who gets it").repeated())
                    .opt(Opt.value("topic", "TEXT", "what it is about"))
                    .opt(
                            Opt.choice("priority", "how urgent", List.of("P0", "P1", "P2", "P3"))
                                    .withFallback("P2"))
                    .opt(Opt.value("ttl", "DURATION", "how long it counts"))
                    .opt(Opt.value("limit", "N", "how many").withFallback("5"))
                    .opt(Opt.flag("sign", "sign it"))
                    .build();

    private final ArgsParser parser =
            new ArgsParser(
                    List.of(
                            Opt.value("root", "DIR", "where"),
                            Opt.flag("json", "as JSON"),
                            Opt.flag("quiet", "less").withLetter('q'),
                            Opt.flag("help", "this").withLetter('h')),
                    List.of(Opt.flag("version", "the version")));

    private Args parse(String... words) {
        CommandLine line = new CommandLine(List.of(words));
        return parser.parse(line, parser.commandIndex(line), SEND);
    }

    private UsageException fails(String... words) {
        return catchThrowableOfType(UsageException.class, () -> parse(words));
    }

    @Test
    void valuesFollowTheirOptionOrAnEqualsSign() {
        Args args = parse("send", "--to", "code", "--to=docs", "--topic=a=b", "hello");
        assertThat(args.values("to")).containsExactly("code", "docs");
        assertThat(args.value("topic")).isEqualTo("a=b");
        assertThat(args.operands()).containsExactly("hello");
        assertThat(args.operand(1)).isNull();
    }

    @Test
    void optionsOfEveryCommandStandBeforeOrAfterIt() {
        Args args = parse("--root", "/r", "-q", "send", "--json", "hello");
        assertThat(args.value("root")).isEqualTo("/r");
        assertThat(args.has("quiet")).isTrue();
        assertThat(args.has("json")).isTrue();
        assertThat(args.has("sign")).isFalse();
    }

    @Test
    void twoDashesEndTheOptionsAndOneIsAWord() {
        assertThat(parse("send", "--", "--topic").operands()).containsExactly("--topic");
        assertThat(parse("send", "-").operands()).containsExactly("-");
    }

    @Test
    void anEmptyValueIsAValue() {
        assertThat(parse("send", "--topic", "").value("topic")).isEmpty();
        assertThat(parse("send", "--topic=").value("topic")).isEmpty();
        assertThat(parse("send", "").operands()).containsExactly("");
    }

    @Test
    void choicesAreComparedWithoutCaseAndHaveAFallback() {
        assertThat(parse("send", "--priority", "p1").value("priority")).isEqualTo("P1");
        assertThat(parse("send").value("priority")).isEqualTo("P2");
        assertThat(parse("send").has("priority")).isFalse();
        assertThat(parse("send").value("topic")).isNull();
    }

    @Test
    void helpIsGivenWhateverElseIsMissing() {
        Spec read = Spec.of("read", Group.AGENTS, "reads").required("ID", "which").build();
        CommandLine line = new CommandLine(List.of("read", "-h"));
        assertThat(parser.parse(line, 0, read).has("help")).isTrue();
    }

    @Test
    void aLineWithoutACommandHasNone() {
        CommandLine line = new CommandLine(List.of("--json", "--version"));
        assertThat(parser.commandIndex(line)).isEqualTo(-1);
        assertThat(parser.parseWithoutCommand(line).has("version")).isTrue();
    }

    @Test
    void askingForWhatWasNotDeclaredIsADefect() {
        assertThatThrownBy(() -> parse("send").value("colour"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Nested
    class WhatIsWrongIsSaidWithTheWayOut {

        @Test
        void anUnknownOption() {
            UsageException e = fails("send", "--tpoic=parser", "please look");
            assertThat(e).hasMessage("unknown option --tpoic of rsm send");
            assertThat(e.hint()).isEqualTo("did you mean --topic?");
            assertThat(e.fix()).isEqualTo("rsm send --topic=parser \"please look\"");
        }

        @Test
        void anUnknownLetter() {
            UsageException e = fails("send", "-5 degrees");
            assertThat(e).hasMessage("unknown option -5 degrees of rsm send");
            assertThat(e.hint()).isEqualTo("text that begins with a dash goes after --");
        }

        @Test
        void anOptionOfTheCommandBeforeIt() {
            assertThat(fails("--to", "code", "send"))
                    .hasMessage("unknown option --to before the command");
        }

        @Test
        void aMissingValue() {
            assertThat(fails("send", "--to")).hasMessage("option --to needs a value ADDRESS");
            assertThat(fails("send", "--to", "--topic", "x"))
                    .hasMessage("option --to needs a value ADDRESS, found option --topic");
            assertThat(fails("send", "--to", "--")).hasMessageContaining("needs a value");
        }

        @Test
        void aValueForAFlag() {
            UsageException e = fails("send", "--sign=yes");
            assertThat(e).hasMessage("option --sign takes no value, found \"yes\"");
            assertThat(e.fix()).isEqualTo("rsm send --sign");
        }

        @Test
        void anOptionTwice() {
            assertThat(fails("send", "--topic", "a", "--topic=b"))
                    .hasMessage("option --topic is given twice: \"a\" and \"b\", expected once");
        }

        @Test
        void aChoiceThatIsNone() {
            UsageException e = fails("send", "--priority=P4");
            assertThat(e).hasMessage("option --priority: found \"P4\", expected P0, P1, P2 or P3");
            assertThat(e.fix()).isEqualTo("rsm send --priority=P0");
        }

        @Test
        void oneWordTooMany() {
            UsageException e = fails("send", "please", "look");
            assertThat(e).hasMessage("unexpected word \"look\" after rsm send");
            assertThat(e.hint()).startsWith("text with spaces goes in quotes");
        }
    }

    @Nested
    class TypedValues {

        private static final ZoneId TOKYO = ZoneId.of("Asia/Tokyo");

        private final Instant now = Instant.parse("2025-10-15T17:10:00Z");

        @Test
        void durations() {
            assertThat(parse("send", "--ttl", "1h30m").duration("ttl"))
                    .isEqualTo(Duration.ofMinutes(90));
            assertThat(parse("send").duration("ttl")).isNull();
            assertThatThrownBy(() -> parse("send", "--ttl", "soon").duration("ttl"))
                    .hasMessage("--ttl soon: expected a duration, for example 90s, 15m or 2d");
            assertThatThrownBy(() -> parse("send", "--ttl", "PT-1H").duration("ttl"))
                    .isInstanceOf(UsageException.class);
        }

        private String moment(String typed) {
            return String.valueOf(parse("send", "--ttl", typed).moment("ttl", now, TOKYO));
        }

        @Test
        void moments() {
            assertThat(parse("send", "--ttl", "2h").moment("ttl", now, TOKYO))
                    .isEqualTo("2025-10-15T15:10:00Z");
            assertThat(parse("send", "--ttl", "2025-10-01T00:00:00Z").moment("ttl", now, TOKYO))
                    .isEqualTo("2025-10-01T00:00:00Z");
            assertThat(moment("2025-10-01")).isEqualTo("2025-09-30T15:00:00Z");
            assertThat(moment("2025-10-01T12:30")).isEqualTo("2025-10-01T03:30:00Z");
            assertThat(moment("2025-10-01 12:30:05")).isEqualTo("2025-10-01T03:30:05Z");
            assertThat(moment("2025-10-01T12:30:00+02:00")).isEqualTo("2025-10-01T10:30:00Z");
            assertThat(parse("send").moment("ttl", now, TOKYO)).isNull();
            assertThatThrownBy(() ->
                            parse("send", "--ttl", "2025-13-01T00:00:00Z")
                                    .moment("ttl", now, TOKYO))
                    .hasMessageContaining("expected a duration such as 24h, a date such as");
        }

        @Test
        void counts() {
            assertThat(parse("send", "--limit", "7").count("limit", 1, 10)).isEqualTo(7);
            assertThat(parse("send").count("limit", 1, 10)).isEqualTo(5);
            assertThatThrownBy(() -> parse("send", "--limit", "0").count("limit", 1, 10))
                    .hasMessage(
                            "option --limit: found \"0\", expected a whole number from 1 to 10");
            assertThatThrownBy(() -> parse("send", "--limit", "many").count("limit", 1, 10))
                    .hasMessageContaining("found \"many\"");
        }
    }
}
