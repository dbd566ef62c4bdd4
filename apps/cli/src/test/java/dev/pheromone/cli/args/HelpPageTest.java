package dev.pheromone.cli.args;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class HelpPageTest {

    private static final Spec WATCH =
            Spec.of("watch", Group.HUMANS, "shows what arrives")
                    .anyNumberOf("ADDRESS", "whose inbox; all without one")
                    .opt(
                            Opt.value(
                                    "after",
                                    "CURSOR",
                                    "begin after this place, as printed by an earlier call of this"
                                            + " command"))
                    .opt(Opt.value("tag", "TAG", "only with this tag").repeated())
                    .opt(Opt.value("limit", "N", "at most so many").withFallback("20"))
                    .opt(Opt.value("an-option-with-a-long-name", "VALUE", "explained below"))
                    .note("It writes nothing, not even events.")
                    .example("rsm watch code", "shows mail for queen://code")
                    .build();

    @Test
    void aPageHasUsageOptionsNotesAndExamplesWrappedToTheWidth() {
        assertThat(HelpPage.of(WATCH, List.of(Opt.flag("help", "this page").withLetter('h')), 60))
                .isEqualTo(
                        """
                        rsm watch: shows what arrives
                        Usage: rsm watch [ADDRESS…] [options]

                          ADDRESS  whose inbox; all without one

                        Options:
                          --after CURSOR  begin after this place, as printed by an
                                          earlier call of this command
                          --tag TAG       only with this tag (repeatable)
                          --limit N       at most so many (default 20)
                          --an-option-with-a-long-name VALUE
                                          explained below

                        Everywhere:
                          -h, --help  this page

                        It writes nothing, not even events.

                        Example:
                          rsm watch code
                              shows mail for queen://code
                        """);
    }
}
