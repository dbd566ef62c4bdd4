package dev.pheromone.file.copy;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The name of a claim's file on its way back to the inbox: the claim's own after a lost lease,
/// else with the reason behind it, `<claim>.released.md`.
///
/// The reason is in the name because the rename is the one step that can't be half done: whoever
/// completes a return whose process died must not take a release for a failure.
public record ReturnName(ClaimName claim, Reason reason) {

    static Optional<ReturnName> parse(String fileName) {
        for (Reason reason : Reason.values()) {
            if (reason != Reason.LEASE && fileName.endsWith(suffix(reason))) {
                int end = fileName.length() - suffix(reason).length();
                return ClaimName.parse(fileName.substring(0, end))
                        .map(claim -> new ReturnName(claim, reason))
                        // A tag may be that very word.
                        .or(() -> plain(fileName));
            }
        }
        return plain(fileName);
    }

    private static Optional<ReturnName> plain(String fileName) {
        return ClaimName.parse(fileName).map(claim -> new ReturnName(claim, Reason.LEASE));
    }

    /// The returns in a folder; names that are none are passed over.
    static List<ReturnName> list(Disk files, Path folder) throws IOException {
        List<ReturnName> returns = new ArrayList<>();
        for (Path entry : files.list(folder)) {
            parse(String.valueOf(entry.getFileName())).ifPresent(returns::add);
        }
        return returns;
    }

    public String fileName() {
        return reason == Reason.LEASE ? claim.fileName() : claim.token() + suffix(reason);
    }

    private static String suffix(Reason reason) {
        return "." + reason.name().toLowerCase(Locale.ROOT) + HiveLayout.MAIL_SUFFIX;
    }
}
