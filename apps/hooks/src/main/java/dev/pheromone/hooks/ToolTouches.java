package dev.pheromone.hooks;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.text.Json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// What the tools of the agent programs touch, by their names: none means two things.
final class ToolTouches {
    private static final Set<Access> READ = Set.of(Access.READ);
    private static final List<String> FILE_FIELDS =
            List.of("file_path", "absolute_path", "notebook_path", "path", "filePath");
    private static final List<String> FOLDER_FIELDS =
            List.of("dir_path", "path", "directory", "paths");
    private static final Set<String> PATTERN_FIELDS =
            Set.of("glob", "globs", "include", "includes", "path", "paths", "file", "files");
    private static final Set<String> COMMAND_FIELDS =
            Set.of(
                    "command",
                    "cmd",
                    "script",
                    "code",
                    "cmdline",
                    "commandline",
                    "command_line",
                    "shell_command",
                    "shell",
                    "bash",
                    "exec");

    /// Fields with texts for people, or for a language model: nothing runs them.
    private static final Set<String> PROSE_FIELDS =
            Set.of(
                    "prompt",
                    "description",
                    "content",
                    "title",
                    "body",
                    "text",
                    "message",
                    "comment",
                    "summary",
                    "subject",
                    "query",
                    "question",
                    "questions",
                    "todos",
                    "plan",
                    "explanation",
                    "reason",
                    "url",
                    "pattern");

    /// Tools of others that do what git does.
    private static final Pattern GIT_TOOL =
            Pattern.compile(
                    "(?i)mcp__\\w*git\\w*__\\w*(?:diff|show|checkout|reset|restore|stash|rebase)\\w*");

    /// A shell or a language that waits for what is typed into it. Codex does so with a tool of
    /// which no hook hears, and does not tell whether there is a terminal.
    private static final Pattern WAITING =
            Pattern.compile(
                    "\\s*(?:(?:exec|env|command)\\s+)?(?:\\S*/)?(?:(?:ba|z|da|k|a|mk)?sh|fish"
                            + "|(?:python|pypy|node|perl|ruby|irb|lua|php|R|julia)[\\d.]*)"
                            + "(?:\\s+-[ilqu]+|\\s+--(?:norc|noprofile|login|interactive))*\\s*");

    private final ToolCall call;
    private final Map<String, String> environment;
    private final TouchLog log = new TouchLog();
    private final List<Shape> here;

    private ToolTouches(ToolCall call, Map<String, String> environment) {
        this.call = call;
        this.environment = environment;
        this.here = List.of(Shape.of(call.folder().toString()));
    }

    static Touches of(ToolCall call, Map<String, String> environment) {
        var touches = new ToolTouches(call, environment);
        try {
            touches.read();
        } catch (ShellSyntaxException e) {
            touches.log.doubt("the tool call is not understood: " + e.getMessage());
        }
        return touches.log.touches();
    }

    private void read() throws ShellSyntaxException {
        switch (call.tool()) {
            case "Read", "NotebookRead", "read_file", "view_image", "view", "read" -> file(READ);
            case "Edit", "MultiEdit", "NotebookEdit", "replace", "edit", "create" ->
                    file(Doubt.ANYTHING);
            case "Write", "write_file", "write" -> write();
            case "LS", "list_directory", "list_dir", "list" -> {
                for (Shape folder : folders()) {
                    touch(folder, Extent.PATH);
                }
            }
            case "Grep", "search_file_content", "grep_search", "grep_files", "grep" -> search();
            case "Glob", "glob" -> names();
            case "read_many_files" -> many();
            case "Bash",
                    "bash",
                    "run_shell_command",
                    "shell",
                    "local_shell",
                    "shell_command",
                    "exec_command" ->
                    shell();
            case "apply_patch" -> patch();
            case "write_stdin" -> typed();
            case "update_plan",
                    "TodoWrite",
                    "write_todos",
                    "ExitPlanMode",
                    "AskUserQuestion",
                    "WebSearch",
                    "web_search",
                    "google_web_search",
                    "Skill" -> {
                // Texts for people, for a server, or for the model: its next step is asked about.
            }
            case "PowerShell", "powershell" -> powerShell();
            case "EnterWorktree" -> log.doubt("copies every file into a new work tree");
            case "" -> log.doubt("the call names no tool");
            default -> {
                if (GIT_TOOL.matcher(call.tool()).matches()) {
                    log.doubt(call.tool() + ": may show or rewrite any file");
                }
                unknown(call.input(), 0);
            }
        }
    }

    private void file(Set<Access> access) throws ShellSyntaxException {
        boolean any = false;
        for (String field : FILE_FIELDS) {
            String path = call.input().optionalText(field).orElse("");
            any |= !path.isEmpty();
            for (String spelling : spellings(path)) {
                log.touch(Shape.of(spelling), here, Extent.PATH, access, false);
            }
        }
        if (!any) {
            log.doubt(call.tool() + " names no file", access);
        }
    }

    /// What a program may make of a path that it is given: an address, blanks around it, a sign
    /// before it.
    private static Set<String> spellings(String path) {
        String bare = path.strip();
        return new LinkedHashSet<>(
                List.of(
                        path,
                        bare,
                        bare.startsWith("@") ? bare.substring(1) : bare,
                        FileAddress.path(path)));
    }

    /// A whole file, with a content that a person may have permitted.
    private void write() throws ShellSyntaxException {
        List<String> paths = new ArrayList<>();
        for (String field : FILE_FIELDS) {
            call.input().optionalText(field).filter(path -> !path.isEmpty()).ifPresent(paths::add);
        }
        String content = call.input().optionalText("content").orElse(null);
        for (String path : paths) {
            if (InlineCommands.isRead(path) && InlineCommands.areIn(content)) {
                log.doubt(path + " would run commands that no hook sees");
            }
        }
        if (paths.size() == 1 && content != null && spellings(paths.getFirst()).size() == 1) {
            log.write(
                    Shape.of(paths.getFirst()),
                    here.getFirst(),
                    ContentHash.of(content.getBytes(StandardCharsets.UTF_8)));
        } else {
            file(Doubt.ANYTHING);
        }
    }

    /// Where a tool looks: where it is, if it does not say.
    private List<Shape> folders() {
        var named = new ArrayList<String>();
        for (String field : FOLDER_FIELDS) {
            call.input().get(field).ifPresent(value -> collect(value, named));
        }
        var folders = new ArrayList<Shape>();
        for (String name : named) {
            if (!name.isEmpty()) {
                folders.add(Shape.of(name));
            }
        }
        return folders.isEmpty() ? List.of(Shape.of(".")) : folders;
    }

    private void touch(Shape path, Extent extent) throws ShellSyntaxException {
        log.touch(path, here, extent, READ, false);
    }

    /// A search through files, perhaps only those of some names.
    private void search() throws ShellSyntaxException {
        var names = new SearchedNames("rg");
        for (String field : List.of("glob", "include")) {
            for (String glob : call.input().optionalText(field).orElse("").split("\\s+", -1)) {
                names.note("--glob", Shape.of(glob));
            }
        }
        call.input()
                .optionalText("type")
                .filter(type -> !type.isEmpty())
                .ifPresent(type -> names.note("--type", Shape.of(type)));
        for (Shape folder : folders()) {
            search(folder, names.patterns(), names.leftOut());
        }
    }

    private void search(Shape folder, List<Shape> wanted, LeftOut without)
            throws ShellSyntaxException {
        search(folder, wanted.isEmpty() ? Extent.TREE : Extent.PATH, without);
        for (Shape name : wanted) {
            search(folder.plus("/").plus(name), Extent.TREE, without);
            Shape below = Shape.of("/").plus(Shape.of(new int[] {Shape.DEEP})).plus("/");
            search(folder.plus(below).plus(name), Extent.TREE, without);
        }
    }

    private void search(Shape path, Extent extent, LeftOut without) throws ShellSyntaxException {
        log.touch(path, here, new Touch(path, extent, READ, false, null, without));
    }

    /// Names that fit a pattern: one that may fit a locked name asks for it.
    private void names() throws ShellSyntaxException {
        String patterns = call.input().optionalText("pattern").orElse("**");
        for (Shape folder : folders()) {
            if (patterns.matches("(?s).*[()\\[\\]\\\\].*")) {
                touch(folder, Extent.TREE);
            } else {
                names(folder, patterns);
            }
        }
    }

    private void names(Shape folder, String patterns) throws ShellSyntaxException {
        for (String pattern : PathShapes.withoutBraces(patterns)) {
            for (String form : List.of(pattern, pattern.replace("**/", ""))) {
                Shape shape = Shape.of(form).withWildcards();
                touch(form.startsWith("/") ? shape : folder.plus("/").plus(shape), Extent.PATH);
            }
        }
    }

    private void many() throws ShellSyntaxException {
        var patterns = new ArrayList<String>();
        for (String field : List.of("paths", "include")) {
            call.input().get(field).ifPresent(value -> collect(value, patterns));
        }
        for (String pattern : patterns) {
            touch(Shape.of(pattern).withWildcards(), Extent.TREE);
        }
        if (patterns.isEmpty()) {
            log.doubt(call.tool() + " names no file", READ);
        }
    }

    private static void collect(Json value, List<String> texts) {
        if (value instanceof Json.Str(String text)) {
            texts.add(text);
        } else if (value instanceof Json.Arr(List<Json> items)) {
            items.forEach(item -> collect(item, texts));
        }
    }

    private void shell() {
        if (call.input().get("tty").orElse(Json.of(false)).equals(Json.of(true))) {
            // Codex types into it with write_stdin, of which no hook hears.
            log.doubt("what is typed into a terminal later is asked by nobody: leave tty out");
        }
        Shape folder = here.getFirst();
        String named =
                call.input()
                        .optionalText("workdir")
                        .or(() -> call.input().optionalText("directory"))
                        .or(() -> call.input().optionalText("dir_path"))
                        .orElse("");
        if (!named.isEmpty()) {
            folder = Shape.of(named.startsWith("/") ? named : folder + "/" + named);
        }
        boolean any = false;
        for (String field : List.of("command", "cmd")) {
            Json command = call.input().get(field).orElse(null);
            any |= command != null;
            switch (command) {
                case null -> {}
                case Json.Str(String text) -> {
                    if (WAITING.matcher(text).matches()) {
                        log.doubt("what is typed into it later is asked by nobody");
                    }
                    log.text(text);
                    ShellCommand.note(text, folder, environment, log);
                }
                case Json.Arr(List<Json> words) -> {
                    var texts = new ArrayList<String>();
                    collect(command, texts);
                    texts.forEach(log::text);
                    if (texts.size() != words.size()) {
                        log.doubt("a word of the command is not a text");
                    }
                    ShellCommand.note(texts, folder, environment, log);
                }
                default -> log.doubt(call.tool() + " has no command");
            }
        }
        if (!any) {
            log.doubt(call.tool() + " has no command");
        }
    }

    /// A language that we don't follow.
    private void powerShell() throws ShellSyntaxException {
        log.doubt("PowerShell is not followed");
        unknown(call.input(), 0);
    }

    /// What goes to a program that runs already: a shell, most likely.
    private void typed() {
        String typed = call.input().optionalText("chars").orElse("");
        if (!typed.replaceAll("\\p{Cntrl}", "").isBlank()) {
            log.text(typed);
            ShellCommand.note(typed, here.getFirst(), environment, log);
            log.doubt("what reads this is not known");
        }
    }

    private void patch() throws ShellSyntaxException {
        for (String field : List.of("command", "input", "patch", "patchText")) {
            var texts = new ArrayList<String>();
            call.input().get(field).ifPresent(value -> collect(value, texts));
            String text = String.join("\n", texts);
            if (!text.isEmpty()) {
                AgentPatch.note(text, here, log);
                return;
            }
        }
        log.doubt("apply_patch has no patch");
    }

    /// A tool that we don't know: every text in its arguments may be a path, and some a command.
    private void unknown(Json value, int depth) throws ShellSyntaxException {
        switch (value) {
            case Json.Str(String text) -> path(text);
            case Json.Arr(List<Json> items) -> {
                for (Json item : items) {
                    unknown(item, depth + 1);
                }
            }
            case Json.Obj object -> {
                for (String written : object.names()) {
                    Json field = object.get(written).orElse(Json.obj());
                    unknown(field, depth + 1);
                    path(written);
                    String name = written.toLowerCase(Locale.ROOT);
                    if (!PROSE_FIELDS.contains(name)) {
                        mayBeRun(field);
                    }
                    if (PATTERN_FIELDS.contains(name)) {
                        patterns(field);
                    }
                    if (COMMAND_FIELDS.contains(name) && field instanceof Json.Str(String text)) {
                        log.text(text);
                        ShellCommand.note(text, here.getFirst(), environment, log);
                    }
                }
            }
            default -> {}
        }
    }

    /// A text that may be a command, or words that make one.
    private void mayBeRun(Json value) throws ShellSyntaxException {
        if (value instanceof Json.Obj) {
            return;
        }
        var texts = new ArrayList<String>();
        collect(value, texts);
        if (texts.isEmpty()) {
            return;
        }
        texts.forEach(log::text);
        String text = String.join(" ", texts);
        LastNet.note(Shape.of(text), ShellState.in(here.getFirst(), environment), log);
        if (texts.size() > 1 && Programs.runsCommands(Shape.of(texts.getFirst()))) {
            ShellCommand.note(texts, here.getFirst(), environment, log);
        }
    }

    private void patterns(Json value) throws ShellSyntaxException {
        var patterns = new ArrayList<String>();
        collect(value, patterns);
        for (String pattern : patterns) {
            if (pattern.matches("\\S*[*?\\[]\\S*")) {
                log.touch(Shape.of(pattern).withWildcards(), here, Extent.TREE, READ, true);
            }
        }
    }

    private void path(String text) throws ShellSyntaxException {
        String plain = FileAddress.path(text);
        if (plain.length() < 1_000 && plain.indexOf('\n') < 0) {
            log.touch(Shape.of(plain), here, Extent.TREE, Doubt.ANYTHING, true);
        }
    }
}
