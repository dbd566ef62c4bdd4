package dev.pheromone.cli.serve;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.text.Json;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// `rsm up --service`: the text with which the system starts the resident process whenever its user
/// is there. It is printed, and the user puts it in its place.
///
/// @param manager who reads it: `systemd` or `launchd`
/// @param file where it belongs
/// @param next what to type then
record ServiceUnit(String manager, Path file, String text, List<String> next) implements Answer {

    static ServiceUnit of(Invocation call, HiveLayout layout, String system) {
        Path launcher = call.surroundings().launcher();
        if (launcher == null) {
            throw new CliException(
                    ErrorCode.IO, "--service names the launcher rsm, and it did not start this");
        }
        String root = layout.root().toString();
        Path home = call.surroundings().home();
        return system.toLowerCase(Locale.ROOT).startsWith("mac")
                ? launchd(launcher.toString(), root, home)
                : systemd(launcher.toString(), root, home);
    }

    private static String nameOf(String root) {
        return "pheromone-" + Integer.toHexString(root.hashCode());
    }

    private static ServiceUnit systemd(String launcher, String root, Path home) {
        String name = nameOf(root) + ".service";
        return new ServiceUnit(
                "systemd",
                home.resolve(".config/systemd/user").resolve(name),
                """
                [Unit]
                Description=Pheromone hive %s

                [Service]
                ExecStart=%s up --root %s
                Restart=on-failure
                RestartSec=5

                [Install]
                WantedBy=default.target
                """
                        .formatted(root.replace("%", "%%"), quoted(launcher), quoted(root)),
                List.of("systemctl --user daemon-reload", "systemctl --user enable --now " + name));
    }

    /// A word for systemd, which reads quotes, backslashes, percent and dollar signs as a shell
    /// would not.
    private static String quoted(String word) {
        return '"'
                + word.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("%", "%%")
                        .replace("$", "$$")
                + '"';
    }

    private static ServiceUnit launchd(String launcher, String root, Path home) {
        String name = "dev." + nameOf(root);
        Path file = home.resolve("Library/LaunchAgents").resolve(name + ".plist");
        return new ServiceUnit(
                "launchd",
                file,
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0">
                <dict>
                  <key>Label</key><string>%s</string>
                  <key>ProgramArguments</key>
                  <array>
                    <string>%s</string><string>up</string>
                    <string>--root</string><string>%s</string>
                  </array>
                  <key>RunAtLoad</key><true/>
                  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
                </dict>
                </plist>
                """
                        .formatted(name, escaped(launcher), escaped(root)),
                List.of("launchctl load " + file));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    @Override
    public Json.Obj json() {
        return Json.obj()
                .put("manager", manager)
                .put("file", file.toString())
                .put("text", text)
                .putTexts("next", next);
    }

    @Override
    public void show(Screen screen) {
        boolean isXml = text.startsWith("<?xml");
        for (String line : text.stripTrailing().lines().toList()) {
            screen.line(line);
        }
        String begin = isXml ? "<!-- " : "# ";
        String end = isXml ? " -->" : "";
        screen.line(begin + "put this into " + file + end);
        for (String command : next) {
            screen.line(begin + "then: " + command + end);
        }
    }

    /// The text alone, to be written into its file.
    @Override
    public void showBriefly(Screen screen) {
        for (String line : text.stripTrailing().lines().toList()) {
            screen.line(line);
        }
    }
}
