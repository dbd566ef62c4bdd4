package dev.pheromone.session.seat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The bell of one seat on disks that fail, and what it touches when it has nothing to say.
class BellTest {

    private static final Actor AGENT = new Actor("codex-19be");

    /// What makes or changes a file.
    private static final Set<String> WRITING =
            Set.of("openAppend", "create", "openDraft", "rename", "createFolder", "touch");

    @TempDir Path folder;

    private final FakeClock clock = new FakeClock(Clock.systemUTC().instant());
    private final List<String> calls = new ArrayList<>();
    private HiveLayout layout;
    private boolean isFull;

    @BeforeEach
    void makeHive() throws Exception {
        layout = HiveSetup.init(folder, Address.parse("user://you"), OnUnfitVolume.ACCEPT).layout();
        Files.createDirectories(layout.inboxes().resolve("worker-codex-19be"));
    }

    /// The real disk, until there is no room on it; all calls that name a file are noted.
    private Disk disk() {
        Disk disk = new LocalDisk();
        return (Disk)
                Proxy.newProxyInstance(
                        Disk.class.getClassLoader(),
                        new Class<?>[] {Disk.class},
                        (proxy, method, arguments) -> {
                            if (method.isDefault() && method.getName().equals("in")) {
                                return InvocationHandler.invokeDefault(proxy, method, arguments);
                            }
                            if (arguments != null && arguments[0] instanceof Path path) {
                                calls.add(method.getName() + " " + layout.nameOf(path));
                            }
                            if (isFull && WRITING.contains(method.getName())) {
                                throw new IOException("No space left on device");
                            }
                            try {
                                return method.invoke(disk, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private Ringing ring(Moment moment) throws IOException {
        return new Bell(disk(), layout, clock.instant())
                .at(
                        moment,
                        new Visit(
                                AGENT,
                                "codex",
                                "0199a213",
                                "",
                                "",
                                false,
                                false,
                                true,
                                List.of(),
                                0,
                                (_, _) -> new byte[0]));
    }

    private void send() throws IOException {
        Envelope envelope =
                Envelope.draft(
                                new Actor("ci"),
                                List.of(Address.parse("worker://codex-19be")),
                                Lane.CODE,
                                "please look")
                        .ts(clock.instant())
                        .priority(Priority.P1)
                        .body(new byte[] {'x'})
                        .seal();
        Files.write(
                layout.inboxes().resolve("worker-codex-19be").resolve(envelope.id() + ".md"),
                envelope.bytes());
    }

    @Test
    void onAFullDiskNothingIsRungAndAllOfItLater() throws IOException {
        assertThat(ring(Moment.PROMPT)).isInstanceOf(Ringing.Silence.class);
        send();
        isFull = true;
        for (Moment moment : List.of(Moment.TOOL, Moment.PROMPT, Moment.STOP, Moment.START)) {
            assertThatThrownBy(() -> ring(moment)).hasMessage("No space left on device");
        }
        isFull = false;
        assertThat(ring(Moment.TOOL)).isInstanceOf(Ringing.Rung.class);
    }

    @Test
    void aBellThatIsSilentOpensNoMailAndListsNothing() throws IOException {
        send();
        assertThat(ring(Moment.PROMPT)).isInstanceOf(Ringing.Rung.class);
        // Once the folder has rested, its times tell it from every later state.
        clock.advance(Duration.ofSeconds(10));
        assertThat(ring(Moment.TOOL)).isInstanceOf(Ringing.Silence.class);
        calls.clear();
        assertThat(ring(Moment.TOOL)).isInstanceOf(Ringing.Silence.class);
        assertThat(calls)
                .isNotEmpty()
                .allMatch(call ->
                        call.startsWith("tryLock .deia/seats/")
                                || call.startsWith("peek .deia/seats/")
                                || call.startsWith("touch .deia/seats/")
                                || call.equals("stat .deia/inbox/worker-codex-19be"));
    }
}
