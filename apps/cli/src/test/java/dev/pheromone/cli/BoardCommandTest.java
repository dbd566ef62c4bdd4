package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

/// `rsm board`, from nothing to a paired browser, with a resident in a process of its own.
@Timeout(180)
final class BoardCommandTest {

    private static final Terminal TYPED = new Terminal(true, true, true);

    @TempDir Path folder;
    private Session session;
    private HttpClient client;

    @BeforeEach
    void makeALauncher() throws Exception {
        Path root = folder.toRealPath();
        session = new Session(Files.createDirectory(root.resolve("repo")));
        Files.createDirectories(session.home);
        Path launcher = root.resolve("rsm");
        Files.writeString(
                launcher,
                """
                #!/bin/sh
                exec env -i HOME='%s' PATH="$PATH" '%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx128m \
                -Drsm.launcher='%s' -cp '%s' %s "$@"
                """
                        .formatted(
                                session.home,
                                ProcessHandle.current().info().command().orElseThrow(),
                                launcher,
                                System.getProperty("java.class.path"),
                                Main.class.getName()));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        // A resident and its clients know each other by the program's file.
        Files.createFile(Files.createDirectories(root.resolve("target/rsm")).resolve("rsm.jar"));
        session.launcher = launcher;
        client = HttpClient.newHttpClient();
    }

    @AfterEach
    void end() {
        client.close();
        Session.Result down = session.rsm("down");
        assertThat(down.exit()).as(down.err()).isIn(0, 6);
    }

    private Json.Obj json(String... words) throws Exception {
        Session.Result result = session.rsm(words);
        assertThat(result.exit()).as(result.out() + result.err()).isZero();
        return (Json.Obj) Json.parse(result.out());
    }

    private HttpResponse<String> call(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private int who(String url, String secret) throws Exception {
        return call(HttpRequest.newBuilder(URI.create(url + "v1/board/who"))
                        .header("Authorization", "Bearer " + secret))
                .statusCode();
    }

    @Test
    void oneCommandMakesTheHiveServesItAndPairsABrowser() throws Exception {
        Json.Obj served = json("board", "--json");
        String url = served.text("url");
        assertThat(url).isEqualTo("http://localhost:" + served.number("port") + "/");
        assertThat(served.flag("paired")).isFalse();
        assertThat(session.cwd.resolve(".deia")).isDirectory();
        assertThat(call(HttpRequest.newBuilder(URI.create(url))).statusCode()).isEqualTo(200);

        session.terminal = TYPED;
        Session.Result printed = session.rsm("board", "--print");
        assertThat(printed.out()).startsWith(url + "#pair=");
        String code = printed.out().lines().findFirst().orElseThrow().split("=", 2)[1];
        HttpRequest.Builder pairing =
                HttpRequest.newBuilder(URI.create(url + "v1/board/pair"))
                        .header("Content-Type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        Json.obj().put("code", code).toString()));
        HttpResponse<String> paired = call(pairing);
        assertThat(paired.statusCode()).as(paired.body()).isEqualTo(200);
        assertThat(call(pairing).statusCode()).isEqualTo(403);
        Json.Obj said = (Json.Obj) Json.parse(paired.body());
        assertThat(said.text("actor")).isEqualTo("you");
        assertThat(who(url, said.text("secret"))).isEqualTo(200);

        // A browser stays paired when the server ends, and another board has the same address.
        assertThat(session.rsm("down").exit()).isZero();
        assertThat(session.rsm("up", "--detach").exit()).isZero();
        assertThat(json("board", "--json").text("url")).isEqualTo(url);
        assertThat(who(url, said.text("secret"))).isEqualTo(200);
        assertThat(json("board", "--forget", "--json").number("forgotten")).isEqualTo(1);
        assertThat(who(url, said.text("secret"))).isEqualTo(401);
    }

    @Test
    void aFrozenHiveHasABoardToo() throws Exception {
        assertThat(session.rsm("init").exit()).isZero();
        assertThat(session.rsm("lock", "hive", "--reason", "release").exit()).isZero();
        Json.Obj served = json("board", "--json");
        assertThat(call(HttpRequest.newBuilder(URI.create(served.text("url")))).statusCode())
                .isEqualTo(200);
    }

    @Test
    void withoutATerminalThereIsNoCode() throws Exception {
        assertThat(session.rsm("init").exit()).isZero();
        assertThat(session.rsm("board").out()).startsWith("http://").doesNotContain("pair=");
        session.terminal = TYPED;
        assertThat(session.rsm("board", "--json").out()).doesNotContain("pair=");
        assertThat(session.rsm("up", "--detach", "--port", "0").out()).doesNotContain("pair=");
    }

    @Test
    void toForgetNeedsAHive() {
        assertThat(session.rsm("board", "--forget").exit()).isEqualTo(6);
        assertThat(session.cwd.resolve(".deia")).doesNotExist();
    }
}
