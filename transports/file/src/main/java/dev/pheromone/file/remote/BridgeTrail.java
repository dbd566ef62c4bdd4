package dev.pheromone.file.remote;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What a bridge has to know again after it was killed: what it was carrying, and which inboxes it
/// made itself. The mail says nothing of that, because not a byte of it may change.
public final class BridgeTrail {

    private static final int KEY_BYTES = 8;
    private static final int NAME_BYTES_MAX = 4_096;
    private static final String HOMES = "homes";
    private static final String CARRIED = "carried";

    private final Disk files;
    private final HiveLayout layout;

    BridgeTrail(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// Whether it is noted that a copy is being carried from one side to another.
    public boolean isBegun(String from, String to, Domain inbox, EnvelopeId id) throws IOException {
        return files.stat(carried(from, to, inbox, id)).isPresent();
    }

    /// Notes that a copy is being carried from one side to another, on disk when this returns.
    ///
    /// @return whether that was noted before: then it may have arrived there by our own hand
    public boolean begin(String from, String to, Domain inbox, EnvelopeId id) throws IOException {
        Path file = carried(from, to, inbox, id);
        Path folder = layout.bridges().resolve(CARRIED);
        try {
            files.create(file, new byte[0]);
        } catch (FileAlreadyExistsException e) {
            return true;
        } catch (NoSuchFileException e) {
            files.createFolder(folder);
            return begin(from, to, inbox, id);
        }
        files.sync(folder);
        return false;
    }

    /// Notes that the copy has left its old place, or stays there.
    public void end(String from, String to, Domain inbox, EnvelopeId id) throws IOException {
        try {
            files.remove(carried(from, to, inbox, id));
        } catch (NoSuchFileException e) {
            // Another bridge of the same two sides was faster.
        }
    }

    private Path carried(String from, String to, Domain inbox, EnvelopeId id) {
        return layout.bridges()
                .resolve(CARRIED)
                .resolve(id + "." + inbox.name() + "." + key(List.of(from, to)));
    }

    /// Where inboxes are at home that were made on the other side of these two, for mail to them.
    public Map<Domain, String> homes(String one, String other) throws IOException {
        Map<Domain, String> homes = new TreeMap<>();
        for (Path file : files.list(homesFolder(one, other))) {
            Optional<byte[]> side = RegularFile.read(files, file, NAME_BYTES_MAX);
            Optional<Domain> inbox = Domain.find(String.valueOf(file.getFileName()));
            if (side.isPresent() && inbox.isPresent()) {
                homes.put(inbox.get(), new String(side.get(), StandardCharsets.UTF_8));
            }
        }
        return homes;
    }

    /// Notes that `inbox` is at home at `home`, and is about to be made on the other side.
    public void setHome(String one, String other, Domain inbox, String home) throws IOException {
        Path folder = homesFolder(one, other);
        files.createFolder(folder);
        try {
            files.create(folder.resolve(inbox.name()), home.getBytes(StandardCharsets.UTF_8));
            files.sync(folder);
        } catch (FileAlreadyExistsException e) {
            // Noted before.
        }
    }

    private Path homesFolder(String one, String other) {
        List<String> sides = new ArrayList<>(List.of(one, other));
        sides.sort(null);
        return layout.bridges().resolve(HOMES).resolve(key(sides));
    }

    /// A name for sides whose own names may be paths.
    private static String key(List<String> sides) {
        byte[] hash =
                ContentHash.sha256()
                        .digest(String.join("\n", sides).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash, 0, KEY_BYTES);
    }
}
