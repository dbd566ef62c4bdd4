package dev.pheromone.cli.look;

import dev.pheromone.Inbox;
import dev.pheromone.address.Domain;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Streamed;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.mail.Arrivals;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// `rsm watch`: shows what arrives, and writes nothing, not even events.
public final class WatchCommand implements HiveCommand {

    private static final int QUEUE_MAX = 1_000;
    private static final Duration WAKE = Duration.ofSeconds(30);

    /// How long to wait when an inbox can't be looked at: a lock, or a disk in trouble.
    private static final Duration RETRY = Duration.ofSeconds(1);

    @Override
    public Spec spec() {
        return Spec.of("watch", Group.HUMANS, "shows mail as it arrives; takes and writes nothing")
                .anyNumberOf("ADDRESS", "whose inboxes, such as code; else all")
                .opt(Opt.flag("once", "end after the first"))
                .opt(
                        Opt.value(
                                "after",
                                "CURSOR",
                                "begin with what arrived after this place; 0 for all that waits"))
                .opt(
                        Opt.value(
                                "exec",
                                "CMD",
                                "run this shell command for each, with RSM_ID, RSM_TOPIC, RSM_FROM,"
                                        + " RSM_LANE, RSM_PRIORITY, RSM_INBOX and RSM_PATH set"))
                .opt(MailOptions.via("what arrives at this transport of hive.yaml"))
                .note("With --json it prints one object a line, each with its cursor.")
                .example(
                        "rsm watch code",
                        "shows mail for queen://code as it comes, until interrupted")
                .example("rsm watch --once --json user://you", "waits for one envelope")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        List<Inbox> inboxes = new ArrayList<>();
        for (String typed : call.args().operands()) {
            inboxes.add(hive.inbox(Typed.address(call, "ADDRESS", typed)));
        }
        if (inboxes.isEmpty()) {
            for (Domain domain : hive.mail().domains()) {
                inboxes.add(hive.inbox(domain.address()));
            }
        }
        Arrivals.Place start = Arrivals.Place.typed(call.args().value("after"), call.now());
        BlockingQueue<Message> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
        // Closing waits for them: nothing of ours looks into a hive once the command has ended.
        try (ExecutorService watchers = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                for (Inbox inbox : inboxes) {
                    watchers.execute(() -> watch(inbox, new Arrivals(start), queue));
                }
                call.note(
                        "watching "
                                + inboxes.size()
                                + (inboxes.size() == 1 ? " inbox" : " inboxes"));
                return show(call, queue);
            } finally {
                watchers.shutdownNow();
            }
        }
    }

    private static Answer show(Invocation call, BlockingQueue<Message> queue) throws IOException {
        while (true) {
            Message message;
            try {
                message = queue.poll(WAKE.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Streamed();
            }
            switch (message) {
                case null -> {}
                case Message.Note(var text) -> call.note(text);
                case Message.Trouble(var cause) -> throw cause;
                case Message.Arrival(var inbox, var mail) -> {
                    call.stream(json(inbox, mail), text(inbox, mail));
                    run(call, inbox, mail);
                    if (call.args().has("once")) {
                        return new Streamed();
                    }
                }
            }
        }
    }

    /// What a watcher tells.
    private sealed interface Message {
        record Arrival(Domain inbox, Waiting.Mail mail) implements Message {}

        record Note(String text) implements Message {}

        record Trouble(IOException cause) implements Message {}
    }

    /// What stands in the way from the start ends it; what comes later is told, and waited out.
    private static void watch(Inbox inbox, Arrivals arrivals, BlockingQueue<Message> queue) {
        String trouble = null;
        boolean began = false;
        try {
            while (true) {
                try {
                    for (Waiting.Mail mail : arrivals.in(inbox.waiting())) {
                        queue.put(new Message.Arrival(inbox.domain(), mail));
                    }
                    began = true;
                    if (trouble != null) {
                        queue.put(new Message.Note(inbox.domain().address() + " is back"));
                        trouble = null;
                    }
                    inbox.await(WAKE);
                } catch (IOException e) {
                    if (!began) {
                        queue.put(new Message.Trouble(e));
                        return;
                    }
                    String now = inbox.domain().address() + ": " + FileProblem.describe(e);
                    if (!now.equals(trouble)) {
                        queue.put(new Message.Note(now));
                        trouble = now;
                    }
                    Thread.sleep(RETRY);
                }
            }
        } catch (InterruptedException e) {
            // The watch is over.
        }
    }

    private static Json.Obj json(Domain inbox, Waiting.Mail mail) {
        return Json.obj()
                .put("id", mail.header().id().text())
                .put("inbox", inbox.name())
                .put("address", inbox.address().toString())
                .put("topic", mail.header().topic())
                .put("from", mail.header().from().name())
                .put("lane", mail.header().lane().name())
                .put("priority", mail.header().priority().name())
                .put("arrived_at", IsoTime.format(mail.urgency().firstSeen()))
                .put("expires_at", IsoTime.format(mail.urgency().expiresAt()))
                .put("path", mail.location())
                .put("cursor", Arrivals.Place.of(mail).toString());
    }

    private static String text(Domain inbox, Waiting.Mail mail) {
        return mail.header().id().shortForm()
                + "  "
                + inbox.address()
                + "  "
                + mail.header().priority()
                + "  "
                + SafeText.line(mail.header().topic())
                + "  from "
                + mail.header().from();
    }

    /// Runs the command that was typed; what it prints goes to standard error, where it disturbs no
    /// reader.
    private static void run(Invocation call, Domain inbox, Waiting.Mail mail) throws IOException {
        String command = call.args().value("exec");
        if (command == null) {
            return;
        }
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
        Map<String, String> env = shell.environment();
        env.put("RSM_ID", mail.header().id().text());
        env.put("RSM_TOPIC", mail.header().topic());
        env.put("RSM_FROM", mail.header().from().name());
        env.put("RSM_LANE", mail.header().lane().name());
        env.put("RSM_PRIORITY", mail.header().priority().name());
        env.put("RSM_INBOX", inbox.name());
        env.put("RSM_PATH", mail.location());
        Process process = shell.start();
        process.getOutputStream().close();
        call.passOn(process.getInputStream());
        try {
            int exit = process.waitFor();
            if (exit != 0) {
                call.warn(
                        "the command for "
                                + mail.header().id().shortForm()
                                + " ended with exit "
                                + exit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroy();
        }
    }
}
