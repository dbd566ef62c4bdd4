package dev.pheromone.cli.frame;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// A terminal that is drawn on as a whole, and is as before when this is closed.
///
/// Only lines that changed are sent, so that it is usable over a slow connection.
public final class FullScreen implements AutoCloseable {

    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String CLEAR = "\u001b[2J";
    private static final String CLEAR_REST_OF_LINE = "\u001b[K";
    private static final int END_OF_INPUT = 4;
    private static final int ESCAPE = 27;
    private static final Duration KEY_POLL = Duration.ofMillis(100);

    private final Surroundings surroundings;
    private final Output out;
    private final @Nullable String settings;
    private List<String> drawn = List.of();
    private TerminalWidth.Size size = new TerminalWidth.Size(0, 0);

    public FullScreen(Surroundings surroundings, Output out) {
        this.surroundings = surroundings;
        this.out = out;
        // Keys are read one by one, and not shown where they are typed.
        this.settings = surroundings.terminal().input() ? Stty.ask("-g") : null;
        if (settings != null) {
            String _ = Stty.ask("-echo -icanon min 1 time 0");
        }
        out.print(ENTER);
        out.flush();
    }

    /// Shows `lines`, each no wider than the terminal; what is too much for it is left out.
    public void draw(List<String> lines, TerminalWidth.Size now) {
        if (!now.equals(size)) {
            out.print(CLEAR);
            drawn = List.of();
            size = now;
        }
        List<String> fitting = lines.subList(0, Math.min(lines.size(), now.rows()));
        for (int i = 0; i < Math.max(fitting.size(), drawn.size()); i++) {
            String line = i < fitting.size() ? fitting.get(i) : "";
            if (i >= drawn.size() || !drawn.get(i).equals(line)) {
                out.print("\u001b[" + (i + 1) + ";1H" + line + CLEAR_REST_OF_LINE);
            }
        }
        out.flush();
        drawn = List.copyOf(fitting);
    }

    /// Waits for as long as `timeout`; true if somebody typed `q` meanwhile.
    public boolean isLeftWithin(Duration timeout) throws IOException, InterruptedException {
        for (long left = timeout.toMillis(); left > 0; left -= KEY_POLL.toMillis()) {
            while (settings != null && surroundings.in().available() > 0) {
                int key = surroundings.in().read();
                if (key == 'q' || key == 'Q' || key == ESCAPE || key == END_OF_INPUT || key < 0) {
                    return true;
                }
            }
            Thread.sleep(KEY_POLL);
        }
        return false;
    }

    @Override
    public void close() {
        out.print(LEAVE);
        out.flush();
        if (settings != null) {
            String _ = Stty.ask(settings);
        }
    }
}
