package dev.pheromone.mcp.hive;

import dev.pheromone.address.Actor;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.caller.UserFolder;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// Whoever calls a tool: with the files of the user whose process this is, in a name of their own.
/// What a session wants to tell beside its result is kept for the answer.
final class ToolCaller implements Caller {

    /// An answer is read by a model, which pays for each word.
    private static final int ASIDES_MAX = 5;

    private final Caller process;
    private final Identity identity;
    private final List<String> asides = new ArrayList<>();

    ToolCaller(Caller process, Identity identity) {
        this.process = process;
        this.identity = identity;
    }

    @Override
    public Identity identity() {
        return identity;
    }

    @Override
    public InstantSource clock() {
        return process.clock();
    }

    @Override
    public UserFolder folder() {
        return process.folder();
    }

    @Override
    public String user() {
        return process.user();
    }

    @Override
    public Path home() {
        return process.home();
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        return process.read(file, bytesMax);
    }

    @Override
    public byte[] readSecret(Path file) throws IOException {
        return process.readSecret(file);
    }

    @Override
    public void wake(Path root, Actor actor) {
        process.wake(root, actor);
    }

    @Override
    public void note(String text) {
        warn(text);
    }

    @Override
    public synchronized void warn(String text) {
        if (asides.size() < ASIDES_MAX && !asides.contains(text)) {
            asides.add(text);
        }
    }

    synchronized List<String> asides() {
        return List.copyOf(asides);
    }
}
