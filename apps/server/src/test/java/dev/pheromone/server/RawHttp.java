package dev.pheromone.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/// Bytes sent to a server as they are, however wrong.
final class RawHttp {

    private static final int PATIENCE_MILLIS = 20_000;

    private RawHttp() {}

    /// What came back until the server closed; empty if it closed without a word.
    record Answer(String text) {

        /// The status, or 0 if there is none.
        int status() {
            return text.startsWith("HTTP/1.1 ") ? Integer.parseInt(text.substring(9, 12)) : 0;
        }

        String body() {
            int end = text.indexOf("\r\n\r\n");
            return end < 0 ? "" : text.substring(end + 4);
        }
    }

    static Answer call(int port, String request) throws IOException {
        return call(port, request.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// Sends the bytes and reads to the end; a server that does not end is a time-out.
    static Answer call(int port, byte[] request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            try {
                socket.getOutputStream().write(request);
                socket.getOutputStream().flush();
                socket.shutdownOutput();
            } catch (SocketException e) {
                // It did not want to hear it all, and may have said why.
            }
            return new Answer(read(socket));
        }
    }

    static String read(Socket socket) throws IOException {
        var text = new StringBuilder();
        byte[] buffer = new byte[8_192];
        try {
            for (int read = socket.getInputStream().read(buffer);
                    read >= 0;
                    read = socket.getInputStream().read(buffer)) {
                text.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
            }
        } catch (SocketException e) {
            // Closed in the hard way, with what was said before.
        }
        return text.toString();
    }
}
