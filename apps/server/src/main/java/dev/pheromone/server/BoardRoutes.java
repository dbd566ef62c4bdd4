package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Loopback;
import dev.pheromone.session.caller.Pairings.Paired;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/// The board: its page, who may use it, and the looks and deeds of which it is made.
final class BoardRoutes implements AutoCloseable {

    static final String PATH = "board";
    static final List<String> PAIR = List.of("v1", PATH, "pair");

    /// As whom a client looks that shows the token of all clients, which names nobody.
    private static final Actor NOBODY = Actor.parse("nobody");

    /// A deed may take a while, as one that waits for a lock to be in force.
    private static final int DEEDS_MAX = 16;

    private final Board board;
    private final BoardFiles files = new BoardFiles();
    private final BoardLooks looks;
    private final Guesses guesses = new Guesses();
    private final Semaphore deeds = new Semaphore(DEEDS_MAX);

    BoardRoutes(Board board) throws IOException {
        this.board = board;
        this.looks = new BoardLooks(board);
    }

    List<Route> routes() {
        return List.of(
                new Route("GET", "/", (call, _) -> page(call, "/", "index.html")),
                new Route(
                        "GET",
                        "/board/{file}",
                        (call, parts) ->
                                page(call, "/board/" + parts.getFirst(), parts.getFirst())),
                new Route(
                        "GET",
                        "/board/vendor/{file}",
                        (_, parts) -> files.vendor(parts.getFirst())),
                new Route("GET", "/v1/board/who", (call, _) -> who(call)),
                new Route("POST", "/v1/board/pair", (call, _) -> pair(call)),
                new Route("POST", "/v1/board/unpair", (call, _) -> unpair(call)),
                new Route(
                        "GET",
                        "/v1/board/looks/{name}",
                        (call, parts) -> look(call, BoardTable.look(parts.getFirst()))),
                new Route(
                        "POST",
                        "/v1/board/deeds/{name}",
                        (call, parts) -> deed(call, BoardTable.deed(parts.getFirst()))));
    }

    /// A page has its secret for one address, and a passkey needs a name: it lives at `localhost`.
    private Reply page(Call call, String path, String name) throws IOException {
        String host = call.header("Host").orElse("");
        int colon = host.lastIndexOf(':');
        int end = colon > host.lastIndexOf(']') ? colon : host.length();
        String named = host.substring(0, end);
        Reply page = files.own(name);
        return !named.equals("localhost") && Loopback.isHost(named)
                ? Reply.nothing(307)
                        .with(Map.of("Location", "http://localhost" + host.substring(end) + path))
                : page;
    }

    private Reply who(Call call) throws IOException {
        return Reply.json(200, board.about(actor(call)));
    }

    private static Actor actor(Call call) {
        return Objects.requireNonNullElse(call.actor(), NOBODY);
    }

    private static Actor requirePaired(Call call) {
        Actor actor = call.actor();
        if (actor == null) {
            throw Problem.of(
                            403,
                            "not_paired",
                            "Authorization: found the token of all clients, expected the secret of"
                                    + " a paired browser: rsm board")
                    .thrown();
        }
        return actor;
    }

    private Reply pair(Call call) throws IOException {
        Json.Obj body = call.json();
        Paired paired = board.pairings().pair(Call.text(body, "code")).orElse(null);
        if (paired == null) {
            guesses.add();
            throw Problem.of(
                            403,
                            "wrong_code",
                            "code: wrong, late or used; rsm board makes a new one")
                    .thrown();
        }
        return Reply.json(
                200, Json.obj().put("secret", paired.secret()).put("actor", paired.actor().name()));
    }

    private Reply unpair(Call call) throws IOException {
        Actor _ = requirePaired(call);
        board.pairings().unpair(Gatekeeper.shown(call));
        return Reply.json(200, Json.obj());
    }

    private Reply look(Call call, BoardLine line) throws IOException {
        List<String> words = line.words(call.parameters());
        return answer(line, looks.look(actor(call), asJson(words)));
    }

    private Reply deed(Call call, BoardLine line) throws IOException {
        Actor actor = requirePaired(call);
        Json.Obj body = call.json();
        List<String> words = line.words(body);
        if (line.isForPeople() && !isPersonsWord()) {
            throw Problem.of(
                            403,
                            "not_a_person",
                            line.name() + " is for people, and a paired browser proves none")
                    .with(
                            Json.obj()
                                    .put("hint", "type it in a terminal:")
                                    .put("fix", board.line(words)))
                    .thrown();
        }
        if (!deeds.tryAcquire()) {
            throw Problem.of(503, "busy", "too many deeds at once")
                    .with("Retry-After", "2")
                    .thrown();
        }
        try {
            return answer(
                    line, board.run(actor, asJson(words), body.optionalText("text").orElse("")));
        } finally {
            deeds.release();
            looks.forget();
        }
    }

    /// Whether a person is known to stand behind a deed. A paired browser does not show that:
    /// programs of the same user can pair one.
    private static boolean isPersonsWord() {
        return false;
    }

    private static List<String> asJson(List<String> words) {
        List<String> all = new ArrayList<>(words);
        all.add(1, "--json");
        return all;
    }

    private static Reply answer(BoardLine line, Board.Ran ran) {
        if (ran.exit() == 0) {
            return given(line, ran.printed());
        }
        Json.Obj json = last(ran.printed());
        Json.Obj error = json == null ? null : error(json);
        if (json == null || error == null) {
            return Problem.of(503, "io", "the command ended without an answer").reply();
        }
        if (line.isAnswer(error.text("code"))) {
            return given(line, ran.printed());
        }
        Json.Obj more = Json.obj();
        Map<String, String> headers = new HashMap<>();
        for (String name : List.of("hint", "fix", "retry_after_s")) {
            Json value = error.get(name).orElse(Json.Null.NULL);
            more = value == Json.Null.NULL ? more : more.put(name, value);
        }
        error.optionalNumber("retry_after_s")
                .ifPresent(seconds -> headers.put("Retry-After", String.valueOf(seconds)));
        return new Problem(
                        status(ran.exit()),
                        error.text("code"),
                        error.text("message"),
                        more.putAll(json.without("ok").without("error")),
                        headers)
                .reply();
    }

    private static int status(int exit) {
        return switch (exit) {
            case 2 -> 422;
            case 3 -> 423;
            case 5 -> 409;
            case 6 -> 404;
            case 75 -> 429;
            default -> 503;
        };
    }

    private static Reply given(BoardLine line, String printed) {
        return switch (line.gives()) {
            case OBJECT -> Reply.text(200, Call.JSON, printed);
            case LINES -> Reply.text(200, Call.JSON, joined(printed));
            case PICTURE -> {
                Json.Obj json = Objects.requireNonNull(last(printed));
                yield Reply.text(200, "image/svg+xml", json.text("svg"));
            }
        };
    }

    /// The lines as one object: the last line, with the others as its `items`.
    private static String joined(String printed) {
        List<String> lines = printed.lines().toList();
        String items = String.join(",", lines.subList(0, lines.size() - 1));
        return "{\"items\":[" + items + "]," + lines.getLast().substring(1) + "\n";
    }

    /// The last line as JSON, or null if it is not that.
    private static Json.@Nullable Obj last(String printed) {
        try {
            return Json.parse(printed.stripTrailing().lines().reduce("", (_, line) -> line))
                            instanceof Json.Obj object
                    ? object
                    : null;
        } catch (MalformedJsonException e) {
            return null;
        }
    }

    private static Json.@Nullable Obj error(Json.Obj json) {
        return json.get("error").orElse(null) instanceof Json.Obj error ? error : null;
    }

    @Override
    public void close() {
        looks.close();
    }

    /// How often somebody showed a wrong code of late. A right one is let in all the same: its
    /// length leaves nothing to guess.
    private static final class Guesses {

        private static final int A_MINUTE = 10;
        private static final long MINUTE_NANOS = 60_000_000_000L;

        private long since = System.nanoTime();
        private int count;

        synchronized void add() {
            long now = System.nanoTime();
            if (now - since > MINUTE_NANOS) {
                since = now;
                count = 0;
            }
            if (++count > A_MINUTE) {
                throw Problem.of(429, "refused", "too many wrong codes")
                        .with("Retry-After", "60")
                        .thrown();
            }
        }
    }
}
