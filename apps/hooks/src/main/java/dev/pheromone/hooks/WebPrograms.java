package dev.pheromone.hooks;

import java.util.List;
import java.util.regex.Pattern;

/// `curl` and `wget`, where the table of programs does not say enough: names made of addresses, and
/// settings that are given in a text.
final class WebPrograms {
    /// `#1` in the name of a file stands for a part of the address.
    private static final Pattern PART_OF_ADDRESS = Pattern.compile("#\\d+");

    private WebPrograms() {}

    static void curl(Invocation call) throws ShellSyntaxException {
        ProgramRule.of("curl").follow(call);
        List<Shape> arguments = call.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            Shape next = i + 1 < arguments.size() ? arguments.get(i + 1) : Shape.EMPTY;
            String option = arguments.get(i).toString();
            boolean config = option.matches("-[a-zA-Z]*K-") || option.equals("--config=-");
            boolean configNext = option.matches("-[a-zA-Z]*K") || option.startsWith("--conf");
            if (config || (configNext && next.is("-"))) {
                readsSettings(call);
            } else if (configNext) {
                LastNet.noteRun(call, next);
            }
            for (String sent : PathShapes.withoutBraces(value(option, next))) {
                // It expands braces and sets itself, and names are made of what they matched.
                String name = PART_OF_ADDRESS.matcher(sent).replaceAll("**");
                if (!name.equals(option)) {
                    Shape path = Shape.of(name).withWildcards().withHidden();
                    call.guess(path, Doubt.ANYTHING, Extent.PATH);
                }
            }
        }
    }

    /// The value of `-T` and `-o`, or the option itself if it is another one.
    private static String value(String option, Shape next) {
        if (option.matches("-[a-zA-Z]*[To]|--upl\\S*|--outp\\S*") && option.indexOf('=') < 0) {
            return next.toString();
        }
        return option.matches("(?s)-[To].+|--(?:upl|outp)\\S*=.+")
                ? option.substring(option.startsWith("--") ? option.indexOf('=') + 1 : 2)
                : option;
    }

    private static void readsSettings(Invocation call) throws ShellSyntaxException {
        LastNet.noteInput(call);
        if (call.text() == null && call.state().input == null) {
            call.doubt("takes its settings from a text that is known only when it runs");
        }
    }

    static void wget(Invocation call) throws ShellSyntaxException {
        ProgramRule.of("wget").follow(call);
        List<Shape> arguments = call.arguments();
        Shape folder = Shape.of(".");
        boolean named = call.hasShortened("-O", "--output-document", "--spider");
        for (int i = 0; i < arguments.size(); i++) {
            Shape next = i + 1 < arguments.size() ? arguments.get(i + 1) : Shape.EMPTY;
            String option = arguments.get(i).toString();
            if (option.equals("-P") || option.equals("--directory-prefix")) {
                folder = next;
            } else if (option.startsWith("-P")) {
                folder = arguments.get(i).from(2);
            } else if (option.startsWith("--directory-prefix=")) {
                folder = arguments.get(i).from("--directory-prefix=".length());
            }
        }
        boolean deep =
                call.hasShortened(
                        "-r", "-m", "-p", "-x", "--recursive", "--mirror", "--page-requisites");
        if (deep) {
            call.guess(folder, Role.WRITE.access(), Extent.TREE);
        }
        for (Shape address : named ? List.<Shape>of() : arguments) {
            if (!address.startsWith("-") && !address.name().isEmpty()) {
                Shape file = folder.plus("/").plus(address.name());
                call.guess(file, Role.WRITE.access(), Extent.PATH);
            }
        }
    }
}
