package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LogFile;
import dev.pheromone.disk.Stat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which other processes are past the gate, where the kernel tells.
final class GateHolders {

    /// A line a lock: number, kind, mode, access, process, device and inode, range.
    private static final Path TABLE = Path.of("/proc/locks");

    private static final int TABLE_BYTES_MAX = 1024 * 1024;
    private static final int PROCESS_FIELD = 4;
    private static final int FILE_FIELD = 5;

    private final Disk disk;
    private final Path gate;

    GateHolders(Disk disk, HiveLayout layout) {
        this.disk = disk;
        this.gate = layout.embargo().resolve(Gate.NAME);
    }

    /// Their ids; none if that can't be found out.
    List<Long> find() {
        List<Long> processes = new ArrayList<>();
        try {
            Optional<Stat> stat = disk.stat(gate);
            if (stat.isEmpty() || !disk.exists(TABLE)) {
                return processes;
            }
            String file = ":" + stat.get().inode();
            for (String line : table().split("\n", -1)) {
                String[] fields = line.strip().split(" +", -1);
                if (fields.length > FILE_FIELD && fields[FILE_FIELD].endsWith(file)) {
                    long process = Long.parseLong(fields[PROCESS_FIELD]);
                    if (process > 0 && process != ProcessHandle.current().pid()) {
                        processes.add(process);
                    }
                }
            }
        } catch (IOException | NumberFormatException e) {
            // Not known here; the lock stands all the same.
        }
        return processes.stream().distinct().sorted().toList();
    }

    private String table() throws IOException {
        try (Disk.Reader reader = disk.openRead(TABLE)) {
            return new String(LogFile.read(reader, 0, TABLE_BYTES_MAX), StandardCharsets.US_ASCII);
        }
    }
}
