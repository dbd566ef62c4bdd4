package dev.pheromone.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.disk.FaultyDisk.Fault;
import dev.pheromone.disk.Publication.Likeness;
import dev.pheromone.disk.Publication.Result;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

final class PublicationTest {

    private static final byte[] CONTENT = "a letter\n".getBytes(StandardCharsets.UTF_8);

    /// More steps than any publication takes.
    private static final int STEPS_MAX = 50;

    @TempDir private Path root;
    private Path drafts;
    private Path file;

    @BeforeEach
    void makeFolder() throws IOException {
        drafts = root.resolve("inbox/.tmp");
        file = Files.createDirectories(root.resolve("inbox")).resolve("letter.md");
    }

    private Result publish(Disk disk) throws IOException {
        return publish(disk, likenessTo(CONTENT));
    }

    private Result publish(Disk disk, Publication.Comparison comparison) throws IOException {
        return new Publication(disk)
                .publish(CONTENT, Publication.draft(drafts, "letter."), file, comparison);
    }

    private static Publication.Comparison likenessTo(byte[] content) {
        return taken ->
                Arrays.equals(Files.readAllBytes(taken), content) ? Likeness.SAME : Likeness.OTHER;
    }

    @Test
    void contentIsUnderItsNameAndNoDraftIsLeft() throws Exception {
        assertThat(publish(new LocalDisk())).isEqualTo(Result.NEW);
        assertThat(file).hasBinaryContent(CONTENT);
        assertThat(drafts).isEmptyDirectory();
    }

    @Test
    void theContentIsForcedBeforeItsNameAndTheDraftStaysOpenUntilItsNameIsGone() throws Exception {
        List<String> steps = new ArrayList<>();
        publish(telling(steps));
        assertThat(steps).containsExactly("force", "link", "sync inbox", "remove", "close");
    }

    @Test
    void atOnceTheContentIsForcedUnderItsName() throws Exception {
        List<String> steps = new ArrayList<>();
        assertThat(publishAtOnce(telling(steps))).isEqualTo(Result.NEW);
        assertThat(steps).containsExactly("link", "remove", "force", "names in inbox", "close");
        assertThat(publishAtOnce(new LocalDisk())).isEqualTo(Result.SAME);
    }

    @Test
    void atOnceAContentThatCannotBeForcedLeavesTheNameAndSaysSo() throws Exception {
        // The draft, its name, the end of its first name, and then its content.
        FaultyDisk disk = new FaultyDisk(FaultyDisk.Fault.FAILS, 3);
        Files.createDirectory(drafts);
        assertThatThrownBy(() -> publishAtOnce(disk))
                .isInstanceOf(Publication.UnforcedException.class)
                .hasMessageContaining("No space left");
        assertThat(disk.hit()).contains("force");
        assertThat(file).as("somebody else may rely on the file").hasBinaryContent(CONTENT);
        assertThat(drafts).isEmptyDirectory();
    }

    @Test
    void atOnceTheSameThatIsGoneBeforeItIsForcedIsPutThereAgain() throws Exception {
        Files.write(file, CONTENT);
        Disk disk =
                new PassingDisk() {
                    @Override
                    public void force(Path found) throws IOException {
                        Files.delete(found);
                        super.force(found);
                    }
                };
        assertThat(publishAtOnce(disk)).isEqualTo(Result.NEW);
        assertThat(file).hasBinaryContent(CONTENT);
    }

    @Test
    void unforcedContentHasItsNameAndReplacesNone() throws Exception {
        List<String> steps = new ArrayList<>();
        Publication publication = new Publication(telling(steps));
        assertThat(publication.publishUnforced(CONTENT, Publication.draft(drafts, "letter."), file))
                .isTrue();
        assertThat(steps).containsExactly("link", "remove", "close");
        assertThat(
                        publication.publishUnforced(
                                new byte[0], Publication.draft(drafts, "letter."), file))
                .isFalse();
        assertThat(file).hasBinaryContent(CONTENT);
        assertThat(drafts).isEmptyDirectory();
    }

    private Result publishAtOnce(Disk disk) throws IOException {
        return new Publication(disk)
                .publishAtOnce(
                        CONTENT, Publication.draft(drafts, "letter."), file, likenessTo(CONTENT));
    }

    /// A disk that tells its steps.
    private static Disk telling(List<String> steps) {
        return new PassingDisk() {
            @Override
            public Handle openDraft(Path draft, byte[] content) throws IOException {
                Handle open = disk.openDraft(draft, content);
                return new Handle() {
                    @Override
                    public void force() throws IOException {
                        steps.add("force");
                        open.force();
                    }

                    @Override
                    public void close() throws IOException {
                        steps.add("close");
                        open.close();
                    }
                };
            }

            @Override
            public void link(Path existing, Path name) throws IOException {
                steps.add("link");
                disk.link(existing, name);
            }

            @Override
            public void syncNamesOfForced(Path folder) throws IOException {
                steps.add("names in " + folder.getFileName());
                disk.syncNamesOfForced(folder);
            }

            @Override
            public void sync(Path folder) throws IOException {
                steps.add("sync " + folder.getFileName());
                disk.sync(folder);
            }

            @Override
            public void remove(Path name) throws IOException {
                steps.add("remove");
                disk.remove(name);
            }
        };
    }

    @Nested
    class WhenTheNameIsTaken {

        @Test
        void theSameIsSaidToBeThereAndStays() throws Exception {
            Files.write(file, CONTENT);
            assertThat(publish(new LocalDisk())).isEqualTo(Result.SAME);
            assertThat(drafts).isEmptyDirectory();
        }

        @Test
        void anythingElseStaysAsItIs() throws Exception {
            Files.writeString(file, "another");
            assertThat(publish(new LocalDisk())).isEqualTo(Result.OTHER);
            assertThat(file).hasContent("another");
            assertThat(drafts).isEmptyDirectory();
        }

        /// Whoever put it there may have been about to force it.
        @Test
        void theSameSurvivesAPowerCutOnceThatIsSaid() throws Exception {
            ForgetfulDisk disk = new ForgetfulDisk(root, ForgetfulDisk.More.NOTHING);
            try (Disk.Handle _ = disk.openDraft(file, CONTENT)) {
                assertThat(publish(disk)).isEqualTo(Result.SAME);
            }
            disk.cutPower();
            assertThat(file).hasBinaryContent(CONTENT);
        }

        @Test
        void aNameThatIsFreeAgainIsTriedOnceMore() throws Exception {
            Files.writeString(file, "about to go");
            Result result =
                    publish(
                            new LocalDisk(),
                            taken -> {
                                Files.delete(taken);
                                return Likeness.GONE;
                            });
            assertThat(result).isEqualTo(Result.NEW);
            assertThat(file).hasBinaryContent(CONTENT);
        }

        @Test
        void aNameThatIsNeverFreeAndNeverThereIsAnError() throws Exception {
            Files.writeString(file, "another");
            assertThatThrownBy(() -> publish(new LocalDisk(), _ -> Likeness.GONE))
                    .isInstanceOf(FileAlreadyExistsException.class);
            assertThat(drafts).isEmptyDirectory();
        }
    }

    @Test
    void aFolderThatCannotBeForcedLeavesTheNameAndSaysSo() {
        Disk disk =
                new PassingDisk() {
                    @Override
                    public void sync(Path folder) throws IOException {
                        throw new IOException("no answer from the disk");
                    }
                };
        assertThatThrownBy(() -> publish(disk))
                .isInstanceOfSatisfying(
                        Publication.UnforcedException.class,
                        e -> assertThat(e.reason()).isEqualTo("no answer from the disk"));
        assertThat(file).hasBinaryContent(CONTENT);
    }

    @ParameterizedTest
    @EnumSource
    void aDeathOrAFailureAtAnyStepLeavesTheWholeContentOrNone(Fault fault) throws Exception {
        int step = 0;
        for (; step < STEPS_MAX; step++) {
            ForgetfulDisk disk = new ForgetfulDisk(root, ForgetfulDisk.More.NOTHING);
            FaultyDisk faulty = new FaultyDisk(fault, step, disk);
            boolean isConfirmed = false;
            try {
                isConfirmed = publish(faulty) == Result.NEW;
            } catch (IOException | FaultyDisk.Death e) {
                // Neither promises anything.
            }
            disk.cutPower();
            if (isConfirmed || Files.exists(file)) {
                assertThat(file).as(faulty.hit()).hasBinaryContent(CONTENT);
            }
            Files.deleteIfExists(file);
            if (faulty.hit().isEmpty()) {
                break;
            }
        }
        assertThat(step).isBetween(4, STEPS_MAX - 1);
    }

    @Nested
    class OfAFileThatIsThere {

        private Path existing;

        @BeforeEach
        void write() throws IOException {
            existing = Files.write(root.resolve("existing"), CONTENT);
        }

        private Result link() throws IOException {
            return new Publication(new LocalDisk()).link(existing, file);
        }

        @Test
        void theSecondNameIsGivenOnce() throws Exception {
            assertThat(link()).isEqualTo(Result.NEW);
            assertThat(link()).isEqualTo(Result.SAME);
            assertThat(file).hasBinaryContent(CONTENT);
        }

        @Test
        void anotherFileOfThatNameStays() throws Exception {
            Files.write(file, CONTENT);
            assertThat(link()).isEqualTo(Result.OTHER);
        }

        @Test
        void aFileThatIsGoneIsAnError() throws Exception {
            Files.delete(existing);
            Files.write(file, CONTENT);
            assertThatThrownBy(this::link).isInstanceOf(NoSuchFileException.class);
        }
    }
}
