package dev.pheromone.cli.serve;

import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.frame.UserFiles;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.server.ServerOptions;
import dev.pheromone.session.caller.ActorTokens;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// The token that clients of `rsm serve` show: in a file that nobody else can read.
final class ServeToken {

    private static final String NAME = "serve.token";

    private final Invocation call;

    ServeToken(Invocation call) {
        this.call = call;
    }

    /// The token of the named file, else the user's own, which is made if there is none.
    String read() throws IOException {
        return read(call.args().value("token-file"));
    }

    /// The user's own, which is made if there is none.
    String readOwn() throws IOException {
        return read(null);
    }

    private String read(@Nullable String named) throws IOException {
        UserFiles files = call.userFiles();
        Path file = named == null ? own(files) : files.resolve(named);
        String token;
        try {
            byte[] content =
                    named == null ? files.readSecret(file) : new TypedFiles(call).readSecret(named);
            token = new String(content, StandardCharsets.UTF_8).strip();
        } catch (NoSuchFileException e) {
            throw new CliException(ErrorCode.BAD_FILE, named + ": no such file", e)
                    .hint("without --token-file one is made for you");
        }
        if (token.length() < ServerOptions.TOKEN_LENGTH_MIN || !token.matches("[\\x21-\\x7e]+")) {
            throw new CliException(
                    ErrorCode.BAD_FILE,
                    file
                            + ": expected one word of at least "
                            + ServerOptions.TOKEN_LENGTH_MIN
                            + " characters");
        }
        call.note("the token is in " + SafeText.line(file.toString()));
        call.note(
                "clients show it:  -H \"Authorization: Bearer $(cat "
                        + SafeText.line(ShellWords.quote(file.toString()))
                        + ")\"");
        return token;
    }

    private static Path own(UserFiles files) throws IOException {
        Path file = files.configFolder().resolve(NAME);
        String token = ActorTokens.newToken();
        try {
            files.writeSecret(file, (token + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (FileAlreadyExistsException e) {
            // The one that clients know already.
        }
        return file;
    }
}
