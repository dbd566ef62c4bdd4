package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.FromOrigin;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.caller.UserFolder;
import dev.pheromone.testkit.FakeClock;

import java.io.IOException;
import java.nio.file.Path;

/// Whoever runs the server in a test: a name, without keys or files.
record ServingCaller(Path home, FakeClock clock) implements Caller {

    @Override
    public Identity identity() {
        return new Identity(Actor.parse("server"), FromOrigin.FLAG, null);
    }

    @Override
    public UserFolder folder() {
        return new UserFolder(home.resolve("no-such-folder"));
    }

    @Override
    public String user() {
        return "server";
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        throw new IOException(file + ": this caller has no files");
    }

    @Override
    public byte[] readSecret(Path file) throws IOException {
        return read(file, 0);
    }

    @Override
    public void note(String text) {}

    @Override
    public void warn(String text) {}
}
