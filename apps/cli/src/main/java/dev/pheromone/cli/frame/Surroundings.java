package dev.pheromone.cli.frame;

import dev.pheromone.address.Reach;
import dev.pheromone.session.passkey.Page;

import org.jspecify.annotations.Nullable;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;

/// All that the program finds around it when it starts. Nothing else asks the machine, so that a
/// test gives its own.
///
/// @param launcher the script that started the program, if one did
/// @param reach how far what is printed gets; null where it stays with whoever typed the command
/// @param stay what a command that stays must know of the resident process that answers it; null in
///   a process of its own
/// @param page the page that asked for the command; null where it was typed
public record Surroundings(
        Map<String, String> env,
        Path cwd,
        Path home,
        String user,
        InputStream in,
        OutputStream out,
        OutputStream err,
        InstantSource clock,
        Terminal terminal,
        @Nullable Path launcher,
        @Nullable Reach reach,
        @Nullable Stay stay,
        @Nullable Page page) {

    /// What is around a command that is typed on this machine.
    public Surroundings(
            Map<String, String> env,
            Path cwd,
            Path home,
            String user,
            InputStream in,
            OutputStream out,
            OutputStream err,
            InstantSource clock,
            Terminal terminal,
            @Nullable Path launcher) {
        this(env, cwd, home, user, in, out, err, clock, terminal, launcher, null, null, null);
    }

    /// The variable's value, or null if it is unset or empty: people unset variables in both ways.
    public @Nullable String variable(String name) {
        String value = env.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /// The same, on a terminal that is so wide.
    public Surroundings withColumns(int columns) {
        Map<String, String> sized = new HashMap<>(env);
        sized.put("COLUMNS", String.valueOf(columns));
        return new Surroundings(
                sized, cwd, home, user, in, out, err, clock, terminal, launcher, reach, stay, page);
    }

    /// The time zone in which whoever types the command means times that name none.
    ZoneId zone() {
        String named = variable("TZ");
        try {
            return named == null ? ZoneId.systemDefault() : ZoneId.of(named);
        } catch (DateTimeException e) {
            // The system understands more forms than Java does.
            return ZoneId.systemDefault();
        }
    }

    /// Whether [#zone] is what the variable `TZ` says, if that says anything.
    public boolean understandsZone() {
        String named = variable("TZ");
        try {
            return named == null || !ZoneId.of(named).getId().isEmpty();
        } catch (DateTimeException e) {
            return false;
        }
    }

    public boolean isDebugging() {
        return "1".equals(env.get("RSM_DEBUG"));
    }
}
