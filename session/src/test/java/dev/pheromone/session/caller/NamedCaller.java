package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.FromOrigin;
import dev.pheromone.testkit.FakeClock;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A caller of whom only the name is known, with an empty home; remembers what it was told.
public final class NamedCaller implements Caller {

    public final List<String> warnings = new ArrayList<>();
    public final List<String> notes = new ArrayList<>();
    public final List<Actor> woken = new CopyOnWriteArrayList<>();

    private final String name;
    private final Path home;
    private final FakeClock clock;

    public NamedCaller(String name, Path home, FakeClock clock) {
        this.name = name;
        this.home = home;
        this.clock = clock;
    }

    @Override
    public Identity identity() {
        return new Identity(new Actor(name), FromOrigin.FLAG, null);
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public UserFolder folder() {
        return new UserFolder(home.resolve(".config/pheromone"));
    }

    @Override
    public String user() {
        return "you";
    }

    @Override
    public Path home() {
        return home;
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        throw new IOException(file + ": this caller has no files");
    }

    @Override
    public byte[] readSecret(Path file) throws IOException {
        return UserFolder.readSecret(file);
    }

    @Override
    public void wake(Path root, Actor actor) {
        woken.add(actor);
    }

    @Override
    public void note(String text) {
        notes.add(text);
    }

    @Override
    public void warn(String text) {
        warnings.add(text);
    }
}
