package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.CommandFiles;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.UserFiles;
import dev.pheromone.hooks.Harness;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Whether Codex runs our hooks in a project: one that its user does not trust, or that changed
/// since, it leaves out without a word. Codex itself is asked, on its standard streams and without
/// a model; nothing is written, because trust is a person's word.
final class CodexTrust {

    /// It answers within a second; a machine that builds takes longer.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int ANSWER_ID = 2;
    private static final String TRUSTED = "trusted";

    /// Trusted by an administrator's settings.
    private static final String MANAGED = "managed";

    private final Surroundings surroundings;
    private final Path project;

    CodexTrust(Surroundings surroundings, Path project) {
        this.surroundings = surroundings;
        this.project = project;
    }

    /// Why Codex does not run our hooks; empty if it does, or if nobody can tell, such as where
    /// there is no Codex.
    String problem() {
        String path = surroundings.env().getOrDefault("PATH", "");
        if (CommandFiles.program("codex", surroundings.cwd(), path) == null) {
            return "";
        }
        List<String> left = new ArrayList<>();
        int ours = 0;
        for (Json.Obj hook : hooks()) {
            String command = hook.optionalText("command").orElse("");
            if (!command.contains(" hook " + Harness.CODEX + " ")) {
                continue;
            }
            ours++;
            String status = hook.optionalText("trustStatus").orElse("");
            if (!status.equals(TRUSTED) && !status.equals(MANAGED)) {
                left.add(status);
            }
        }
        return left.isEmpty()
                ? ""
                : "codex leaves out %d of %d hooks of rsm: %s"
                        .formatted(
                                left.size(),
                                ours,
                                left.contains("modified")
                                        ? "they changed since you trusted them"
                                        : "nobody has trusted them");
    }

    private List<Json.Obj> hooks() {
        Process process;
        try {
            ProcessBuilder builder =
                    new ProcessBuilder("codex", "app-server")
                            .directory(new UserFiles(surroundings).asFolder(project))
                            .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().clear();
            builder.environment().putAll(surroundings.env());
            process = builder.start();
        } catch (IOException e) {
            return List.of();
        }
        FutureTask<List<Json.Obj>> answer = new FutureTask<>(() -> ask(process));
        try {
            Thread.ofPlatform().daemon().start(answer);
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } finally {
            process.destroyForcibly();
        }
    }

    private List<Json.Obj> ask(Process process) throws IOException, MalformedJsonException {
        Json.Obj client = Json.obj().put("name", "rsm").put("version", "1");
        OutputStream out = process.getOutputStream();
        for (Json.Obj call :
                List.of(
                        call("initialize", Json.obj().put("clientInfo", client)).put("id", 1),
                        Json.obj().put("method", "initialized"),
                        call("hooks/list", Json.obj().putTexts("cwds", List.of(project.toString())))
                                .put("id", ANSWER_ID))) {
            out.write((call + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (Json.parse(line.getBytes(StandardCharsets.UTF_8)) instanceof Json.Obj said
                    && said.get("id").orElse(Json.Null.NULL).equals(Json.of(ANSWER_ID))) {
                List<Json.Obj> found = new ArrayList<>();
                collect(said, found);
                return found;
            }
        }
        return List.of();
    }

    private static Json.Obj call(String method, Json.Obj params) {
        return Json.obj().put("method", method).put("params", params);
    }

    /// All objects that say how far a hook is trusted, wherever this version puts them.
    private static void collect(Json value, List<Json.Obj> found) {
        switch (value) {
            case Json.Obj object -> {
                if (object.has("trustStatus")) {
                    found.add(object);
                }
                object.forEach((name, field) -> collect(field, found));
            }
            case Json.Arr(List<Json> items) -> items.forEach(item -> collect(item, found));
            default -> {}
        }
    }
}
