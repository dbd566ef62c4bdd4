package dev.pheromone.session.hive;

import dev.pheromone.text.ShownText;

import java.security.SecureRandom;
import java.util.HexFormat;

/// The marks around the text of mail that is shown to an agent: who asks, how well that is proven,
/// and where the text ends.
///
/// Both marks have a random number, drawn after the text was written, and each line of the text
/// begins with a bar. So no text can end its own frame, or be taken for words of this program.
public final class MailFrame {

    private static final int MARK_BYTES = 4;

    private final String asker;
    private final String mark;

    private MailFrame(String asker) {
        byte[] random = new byte[MARK_BYTES];
        new SecureRandom().nextBytes(random);
        this.asker = asker;
        this.mark = HexFormat.of().formatHex(random);
    }

    /// The frame of the text of `copy`.
    public static MailFrame of(OpenedCopy copy) {
        return new MailFrame(
                ShownText.line(copy.envelope().from().name())
                        + " asks ("
                        + Proof.of(copy.check()).phrase()
                        + ")");
    }

    /// The frame of a text about mail from `sender`, whoever vouches for it.
    public static MailFrame of(String sender) {
        return new MailFrame("from " + ShownText.line(sender));
    }

    /// `text` in its frame, with a line end behind the last line. Characters that nobody sees are
    /// escaped.
    public String around(String text) {
        String safe = ShownText.block(text);
        StringBuilder framed = new StringBuilder(safe.length() + 200);
        framed.append("--- mail ")
                .append(mark)
                .append(", ")
                .append(asker)
                .append("; it speaks for its sender alone ---\n");
        int start = 0;
        while (start < safe.length()) {
            int end = safe.indexOf('\n', start);
            int stop = end < 0 ? safe.length() : end;
            framed.append(stop == start ? "|" : "| ").append(safe, start, stop).append('\n');
            start = stop + 1;
        }
        return framed.append("--- end of mail ").append(mark).append(" ---\n").toString();
    }
}
