package dev.pheromone.cli.frame;

import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.hive.MailFrame;
import dev.pheromone.session.hive.OpenedCopy;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/// Where an answer is shown to people and agents: text, in the width and colours that the terminal
/// has.
public final class Screen {

    private static final int TEXT_COLUMNS_MAX = 100;

    private final Output out;
    private final Surroundings surroundings;
    private final boolean colour;

    public Screen(Output out, Surroundings surroundings) {
        this.out = out;
        this.surroundings = surroundings;
        this.colour =
                surroundings.terminal().output()
                        && surroundings.variable("NO_COLOR") == null
                        && !"dumb".equals(surroundings.env().get("TERM"));
    }

    /// Prints a line of our own words. Foreign text in it goes through [SafeText] first.
    public void line(String text) {
        out.line(text);
    }

    /// Prints lines of our own words as they are.
    public void text(String lines) {
        out.print(lines);
    }

    public void blank() {
        out.line("");
    }

    /// `text` in a style, if this screen has colours.
    public String styled(Style style, String text) {
        return style.apply(text, colour);
    }

    public void table(Table table) {
        for (String line : table.lines(columns(), colour)) {
            out.line(line);
        }
    }

    /// Prints the text of an envelope: plainly to people, in a [MailFrame] to agents.
    public void body(OpenedCopy copy) {
        String text = copy.envelope().bodyText();
        show(text, isReadByAgent() ? MailFrame.of(copy) : null);
    }

    /// As [#body(OpenedCopy)], of a text that was made of mail from `sender`.
    public void body(String text, String sender) {
        show(text, isReadByAgent() ? MailFrame.of(sender) : null);
    }

    private void show(String text, @Nullable MailFrame frame) {
        if (frame != null) {
            out.print(frame.around(text));
            return;
        }
        String safe = SafeText.block(text);
        out.print(safe.isEmpty() || safe.endsWith("\n") ? safe : safe + "\n");
    }

    public void flush() {
        out.flush();
    }

    /// Prints bytes as they are.
    public void bytes(byte[] raw) {
        out.bytes(raw);
    }

    int columns() {
        return TerminalWidth.of(surroundings);
    }

    /// The width for running text: the terminal's, but never so wide that eyes lose the line.
    public int textColumns() {
        return Math.min(TEXT_COLUMNS_MAX, columns());
    }

    public Instant now() {
        return surroundings.clock().instant();
    }

    private boolean isReadByAgent() {
        return AgentSession.detect(surroundings.env()) != null;
    }
}
