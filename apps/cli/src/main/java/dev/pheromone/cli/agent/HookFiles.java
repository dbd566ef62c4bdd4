package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.hooks.Harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The files that make agent programs ask us, and what the hook runs and believes: an agent that
/// may change them asks no longer.
final class HookFiles {

    private static final int SETTINGS_BYTES_MAX = 1024 * 1024;

    /// Where the launcher keeps what it runs, beside itself.
    private static final String LAUNCHER_BUILD = "target/rsm";

    private final Invocation call;
    private final GuardLocks locks;

    HookFiles(Invocation call, GuardLocks locks) {
        this.call = call;
        this.locks = locks;
    }

    /// The settings of each program that has our hook, in all work trees and in the home folder;
    /// the user's folder with keys and approvals; the launcher's build, and the launcher, unless
    /// that is part of what is worked on here.
    List<Path> all() {
        List<Path> folders = new ArrayList<>(locks.roots());
        folders.add(call.surroundings().home());
        List<Path> files = new ArrayList<>();
        for (Harness harness : Harness.values()) {
            if (folders.stream().anyMatch(folder -> asks(harness, folder))) {
                for (Path folder : folders) {
                    harness.deciding().forEach(name -> files.add(folder.resolve(name)));
                }
            }
        }
        files.add(call.userFiles().configFolder());
        Path launcher = call.surroundings().launcher();
        if (launcher != null) {
            files.add(launcher.resolveSibling(LAUNCHER_BUILD));
            if (locks.ownRoots().stream().noneMatch(launcher::startsWith)) {
                files.add(launcher);
            }
        }
        files.addAll(namedOnPath());
        List<Path> real = new ArrayList<>(files);
        for (Path file : files) {
            real.add(call.userFiles().real(file));
        }
        return real.stream().distinct().toList();
    }

    /// What the name `rsm` may mean to a shell: shared settings run it by that name. Whoever works
    /// on one of these folders changes what is in it.
    private List<Path> namedOnPath() {
        List<Path> files = new ArrayList<>();
        String path = call.surroundings().env().getOrDefault("PATH", "");
        for (String folder : path.split(":", -1)) {
            Path file = Path.of(folder).resolve("rsm");
            if (file.isAbsolute() && locks.ownRoots().stream().noneMatch(file::startsWith)) {
                files.add(file);
            }
        }
        return files;
    }

    /// The files in which hooks are switched off though one of these programs has ours.
    List<Path> switchedOff() {
        List<Path> folders = new ArrayList<>(locks.roots());
        folders.add(call.surroundings().home());
        List<Path> off = new ArrayList<>();
        for (Harness harness : Harness.values()) {
            if (folders.stream().noneMatch(folder -> asks(harness, folder))) {
                continue;
            }
            for (Path folder : folders) {
                for (String name : harness.deciding()) {
                    if (harness.isSwitchedOffBy(readable(folder.resolve(name)))) {
                        off.add(folder.resolve(name));
                    }
                }
            }
        }
        return off;
    }

    /// The text of a settings file; none if it can't or may not be read.
    String readable(Path file) {
        try {
            return locks.check(file, Access.READ) instanceof Verdict.Blocked
                    ? ""
                    : call.userFiles().textIfThere(file, SETTINGS_BYTES_MAX);
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    /// What can't or may not be read is taken to name our hook.
    private boolean asks(Harness harness, Path folder) {
        return asks(harness, folder, harness.settings())
                || asks(harness, folder, harness.userSettings())
                || harness.localSettings().stream().anyMatch(name -> asks(harness, folder, name));
    }

    private boolean asks(Harness harness, Path folder, String name) {
        Path file = folder.resolve(name);
        if (locks.check(file, Access.READ) instanceof Verdict.Blocked) {
            return true;
        }
        try {
            return harness.isAskedBy(call.userFiles().textIfThere(file, SETTINGS_BYTES_MAX));
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }
}
