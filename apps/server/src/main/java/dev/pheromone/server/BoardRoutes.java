package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Loopback;
import dev.pheromone.session.caller.Pairings.Paired;
import dev.pheromone.session.passkey.Assertion;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.session.passkey.RefusedException;
import dev.pheromone.session.passkey.Registration;
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

    /// The code of what a person has to confirm.
    private static final String FOR_PEOPLE = "not_a_person";

    private static final String ASSERTION = "assertion";
    private static final String REGISTRATION = "registration";
    private static final String PROVE = "prove";

    /// Fields of a body that say nothing of the deed.
    private static final List<String> OF_PAGE = List.of(ASSERTION, REGISTRATION, PROVE);

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
        return answer(line, words, looks.look(actor(call), asJson(words)));
    }

    private Reply deed(Call call, BoardLine line) throws IOException {
        Actor actor = requirePaired(call);
        Json.Obj body = call.json();
        Page page = page(call, body);
        Json.Obj parameters = body;
        for (String field : OF_PAGE) {
            parameters = parameters.without(field);
        }
        List<String> words = line.words(parameters);
        if (!deeds.tryAcquire()) {
            throw Problem.of(503, "busy", "too many deeds at once")
                    .with("Retry-After", "2")
                    .thrown();
        }
        try {
            return answer(
                    line,
                    words,
                    board.run(actor, asJson(words), body.optionalText("text").orElse(""), page));
        } finally {
            deeds.release();
            looks.forget();
        }
    }

    /// The page that asks, with what it shows for a person. Its address is where this server
    /// listens: what the request says of it anybody could write.
    private Page page(Call call, Json.Obj body) {
        try {
            return new Page(
                    "http://" + Page.RP_ID + ":" + call.port(),
                    board.challenges(),
                    body.has(ASSERTION) ? Assertion.parse(body.object(ASSERTION)) : null,
                    body.has(REGISTRATION) ? Registration.parse(body.object(REGISTRATION)) : null,
                    body.get(PROVE).filter(Json.of(false)::equals).isEmpty());
        } catch (RefusedException | IllegalArgumentException e) {
            throw Problem.of(422, "usage", String.valueOf(e.getMessage())).thrown();
        }
    }

    private static List<String> asJson(List<String> words) {
        List<String> all = new ArrayList<>(words);
        all.add(1, "--json");
        return all;
    }

    private Reply answer(BoardLine line, List<String> words, Board.Ran ran) {
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
        boolean isForPeople = error.text("code").equals(FOR_PEOPLE);
        if (isForPeople && more.has("fix")) {
            // What the person types, without what the server added. No terminal makes a passkey.
            more = more.put("fix", board.line(words));
        }
        error.optionalNumber("retry_after_s")
                .ifPresent(seconds -> headers.put("Retry-After", String.valueOf(seconds)));
        return new Problem(
                        isForPeople ? 403 : status(ran.exit()),
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
