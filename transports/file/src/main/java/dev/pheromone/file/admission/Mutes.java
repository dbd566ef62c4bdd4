package dev.pheromone.file.admission;

import dev.pheromone.address.Actor;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.YamlFields;
import dev.pheromone.config.YamlText;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.text.IsoTime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The senders that people have muted: a file for each, `mute/<actor>.yaml`.
public final class Mutes {

    private static final String SUFFIX = ".yaml";
    private static final int BYTES_MAX = 8 * 1024;
    private static final int TAG_LENGTH = 8;

    /// What can't be read mutes for as long as mail can live: it is kept, so that nothing is lost.
    private static final Duration UNREADABLE = Duration.ofDays(30);

    private final Disk files;
    private final HiveLayout layout;

    public Mutes(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// Who is muted at one moment.
    public record View(Map<String, Mute> byName) {

        public Optional<Mute> of(Actor actor) {
            return byName.isEmpty()
                    ? Optional.empty()
                    : Optional.ofNullable(byName.get(HiveLayout.fileNameOf(actor)));
        }

        public boolean isEmpty() {
            return byName.isEmpty();
        }
    }

    public View view(Instant now) throws IOException {
        Map<String, Mute> byName = new HashMap<>();
        for (Mute mute : all()) {
            if (!mute.isOver(now)) {
                byName.put(HiveLayout.fileNameOf(mute.actor()), mute);
            }
        }
        return new View(byName);
    }

    /// The mute of `actor`, if it has one that is not over.
    public Optional<Mute> find(Actor actor, Instant now) throws IOException {
        Path file = file(actor);
        return files.exists(file) ? read(file).filter(mute -> !mute.isOver(now)) : Optional.empty();
    }

    /// All there are, those that are over included; by name.
    public List<Mute> all() throws IOException {
        if (!files.exists(layout.mutes())) {
            return List.of();
        }
        List<Mute> all = new ArrayList<>();
        for (Path file : files.list(layout.mutes())) {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(SUFFIX) && !name.startsWith(".")) {
                read(file).ifPresent(all::add);
            }
        }
        all.sort(Comparator.comparing(mute -> mute.actor().name()));
        return all;
    }

    private Path file(Actor actor) {
        return layout.mutes().resolve(HiveLayout.fileNameOf(actor) + SUFFIX);
    }

    private Optional<Mute> read(Path file) throws IOException {
        Optional<byte[]> bytes;
        try {
            bytes = RegularFile.read(files, file, BYTES_MAX);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            return unreadable(file);
        }
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        try {
            YamlFields fields =
                    YamlFields.ofRoot(YamlText.parse(bytes.get()))
                            .only("actor", "since", "until", "reason", "by", "proof");
            Mute mute =
                    new Mute(
                            fields.required("actor", Actor::parse),
                            fields.required("since", IsoTime::parse),
                            fields.required("until", IsoTime::parse),
                            fields.value("reason", text -> text, ""),
                            fields.value("by", text -> text, ""));
            return file.equals(file(mute.actor())) ? Optional.of(mute) : unreadable(file);
        } catch (MalformedYamlException e) {
            return unreadable(file);
        }
    }

    private Optional<Mute> unreadable(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        String stem = name.substring(0, name.length() - SUFFIX.length());
        Optional<Stat> stat = files.stat(file);
        try {
            return stat.map(found ->
                    new Mute(
                            Actor.parse(stem),
                            found.modified(),
                            found.modified().plus(UNREADABLE),
                            layout.nameOf(file) + " can't be read",
                            ""));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// Mutes, in the place of an earlier one; on disk when this returns.
    public void set(Mute mute, String proof) throws IOException {
        String text =
                """
                actor: %s
                since: %s
                until: %s
                reason: %s
                by: %s
                proof: %s
                """
                        .formatted(
                                mute.actor(),
                                IsoTime.format(mute.since()),
                                IsoTime.format(mute.until()),
                                quoted(mute.reason()),
                                quoted(mute.by()),
                                quoted(proof));
        try (Disk.Operation _ = files.begin()) {
            files.createFolder(layout.mutes());
            Path draft = layout.mutes().resolve("." + Tags.random(TAG_LENGTH));
            files.create(draft, text.getBytes(StandardCharsets.UTF_8));
            files.rename(draft, file(mute.actor()));
            files.sync(layout.mutes());
        }
    }

    /// A YAML text in single quotes, on one line.
    private static String quoted(String text) {
        StringBuilder line = new StringBuilder("'");
        text.codePoints()
                .map(c -> Character.isISOControl(c) ? ' ' : c)
                .forEach(c -> {
                    line.appendCodePoint(c);
                    if (c == '\'') {
                        line.append('\'');
                    }
                });
        return line.append('\'').toString();
    }

    /// Takes a mute away; empty if there was none.
    public Optional<Mute> lift(Actor actor) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            Path file = file(actor);
            Optional<Mute> mute = files.exists(file) ? read(file) : Optional.empty();
            if (mute.isPresent()) {
                files.remove(file);
                files.sync(layout.mutes());
            }
            return mute;
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
