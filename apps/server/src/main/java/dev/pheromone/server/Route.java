package dev.pheromone.server;

import dev.pheromone.address.NoSuchInboxException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A kind of request that the server knows.
///
/// @param template its path, as the OpenAPI document has it: `/v1/inboxes/{domain}`
record Route(String method, String template, Handler handler) {

    /// Answers a request; `parts` are what stood for the `{…}` of the template.
    interface Handler {
        Reply answer(Call call, List<String> parts) throws IOException, NoSuchInboxException;
    }

    /// What stands for each `{…}`, if `path` is one of these.
    Optional<List<String>> match(List<String> path) {
        String[] wanted = template.substring(1).split("/", -1);
        if (wanted.length != path.size()) {
            return Optional.empty();
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].startsWith("{")) {
                parts.add(path.get(i));
            } else if (!wanted[i].equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(parts);
    }
}
