package dev.pheromone.mcp.hive;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.FromOrigin;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.caller.UserFolder;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/// A user of this machine by the name of `you`, without keys.
record TestCaller(Path home) implements Caller {

    @Override
    public Identity identity() {
        return new Identity(new Actor("you"), FromOrigin.DEFAULT, null);
    }

    @Override
    public InstantSource clock() {
        return InstantSource.system();
    }

    @Override
    public UserFolder folder() {
        return new UserFolder(home.resolve("config"));
    }

    @Override
    public String user() {
        return "you";
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
