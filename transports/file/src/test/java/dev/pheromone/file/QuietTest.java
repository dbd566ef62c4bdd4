package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.ChildJvm;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Pass;
import dev.pheromone.guard.Verdict;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A lock that is set while another process is in the hive and does not leave: it stands, and
/// whoever set it is told that somebody is still inside.
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class QuietTest {

    @TempDir Path folder;

    @Test
    void whoIsStillInsideIsTold() throws Exception {
        TestHive hive = new TestHive(folder);
        Process other =
                ChildJvm.plain()
                        .of(InsideMain.class, hive.layout.root().toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("inside");
            LockFiles guard = new LockFiles(hive.layout);
            Locksmith smith = new Locksmith(hive.layout, guard, Duration.ofMillis(200));

            Locksmith.Placed placed = smith.lockHive("freeze");

            assertThat(placed.isQuiet()).isFalse();
            assertThat(placed.inside()).containsExactly(other.pid());
            assertThat(smith.isHiveLocked()).isTrue();
            assertThat(guard.check(hive.layout.log(), Access.READ))
                    .isInstanceOf(Verdict.Blocked.class);

            other.getOutputStream().close();
            assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
            Locksmith.Placed again = smith.lockHive("");
            assertThat(again.isQuiet()).isTrue();
            assertThat(again.isNew()).isFalse();
            assertThat(again.inside()).isEmpty();
        } finally {
            other.destroyForcibly();
        }
    }

    /// A process that goes into the hive, and stays until its input ends.
    static final class InsideMain {

        private InsideMain() {}

        public static void main(String[] arguments) throws Exception {
            HiveLayout layout = new HiveLayout(Path.of(arguments[0]));
            try (Pass pass = new LockFiles(layout).enter()) {
                if (!(pass.check(layout.log(), Access.READ) instanceof Verdict.Allowed)) {
                    throw new IllegalStateException("the hive is locked, expected it to be free");
                }
                System.out.println("inside");
                int _ = System.in.read();
            }
        }
    }
}
