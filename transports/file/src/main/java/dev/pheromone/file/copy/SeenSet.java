package dev.pheromone.file.copy;

import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/// The envelopes whose life in an inbox is over, kept for ever: what makes a second effect
/// impossible.
///
/// Each is one name, `<hh>/<id>.<sha256>`, a hard link to the envelope itself. Making that link is
/// the moment at which an envelope is finished. `hh` spreads them over 256 folders, by the SHA-256
/// of the id.
public final class SeenSet {

    /// What is known of an envelope's id and content.
    public enum Answer {
        NEW,
        SAME,
        OTHER_CONTENT
    }

    private final Disk files;
    private final HiveLayout layout;
    private final Publication publication;

    public SeenSet(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
        this.publication = new Publication(files);
    }

    public Answer ask(Domain domain, EnvelopeId id, ContentHash hash) throws IOException {
        Path own = path(domain, id, hash);
        if (files.exists(own)) {
            return Answer.SAME;
        }
        Optional<Path> found = find(domain, id);
        if (found.isEmpty()) {
            return Answer.NEW;
        }
        // Somebody may have finished this very envelope since the look above.
        return found.get().equals(own) ? Answer.SAME : Answer.OTHER_CONTENT;
    }

    /// Whether an envelope of this id is finished, whatever it said.
    public boolean contains(Domain domain, EnvelopeId id) throws IOException {
        return find(domain, id).isPresent();
    }

    /// An envelope of this id that is finished, whatever it said.
    public Optional<Path> find(Domain domain, EnvelopeId id) throws IOException {
        String prefix = id + ".";
        for (Path entry : files.list(shard(domain, id))) {
            if (String.valueOf(entry.getFileName()).startsWith(prefix)) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    /// Finishes the envelope in `file`, and says whether the disk has confirmed it; empty if
    /// another file of the same content was finished before, so that this one has no effect. Fails
    /// with `NoSuchFileException` if the file is not there any more, and is content with a link to
    /// it that is there already.
    public Optional<Confirmation> commit(Domain domain, EnvelopeId id, ContentHash hash, Path file)
            throws IOException {
        Path own = path(domain, id, hash);
        Path folder = shard(domain, id);
        try {
            return files.in(folder, () -> publication.link(file, own)) == Publication.Result.OTHER
                    ? Optional.empty()
                    : Optional.of(Confirmation.ON_DISK);
        } catch (Publication.UnforcedException e) {
            // The link is there, so that it is finished; a power cut may undo it.
            return Optional.of(Confirmation.UNKNOWN);
        }
    }

    /// As [#commit], for a caller who forces the file afterwards, under all the names that it then
    /// has: until then a power cut may undo it. Returns the envelope's name here.
    Optional<Path> commitUnforced(Domain domain, EnvelopeId id, ContentHash hash, Path file)
            throws IOException {
        Path own = path(domain, id, hash);
        Publication.Result result =
                files.in(shard(domain, id), () -> publication.linkUnforced(file, own));
        return result == Publication.Result.OTHER ? Optional.empty() : Optional.of(own);
    }

    /// Forces the envelope of this id that is finished: whoever finished it may not have come so
    /// far. Says whether there is one.
    public boolean confirm(Domain domain, EnvelopeId id) throws IOException {
        Optional<Path> found = find(domain, id);
        return found.isPresent() && publication.confirm(found.get());
    }

    Path path(Domain domain, EnvelopeId id, ContentHash hash) {
        return shard(domain, id).resolve(id + "." + hash.hex());
    }

    /// The folder in which what is finished under `id` is noted.
    public Path shard(Domain domain, EnvelopeId id) {
        String hex = ContentHash.of(id.text().getBytes(StandardCharsets.US_ASCII)).hex();
        return layout.seen(domain).resolve(hex.substring(0, 2));
    }
}
