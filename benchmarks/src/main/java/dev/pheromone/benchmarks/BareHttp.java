package dev.pheromone.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The requests themselves, made with the JDK's client.
final class BareHttp implements Peer {

    private static final Pattern CLAIM = Pattern.compile("\"claim\": ?\"([^\"]+)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI url;
    private final String token;

    BareHttp(URI url, String token) {
        this.url = url;
        this.token = token;
    }

    @Override
    public double send(List<byte[]> messages) throws Exception {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            put(message);
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    @Override
    public double trip(List<byte[]> messages) throws Exception {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            put(message);
            String taken =
                    post(
                            "/v1/inboxes/code/select",
                            "application/json",
                            BodyPublishers.ofString("{\"worker\":\"bare\",\"lease_s\":60}"),
                            200);
            Matcher claim = CLAIM.matcher(taken);
            if (!claim.find()) {
                throw new IOException("found no claim in " + taken);
            }
            post(
                    "/v1/claims/" + claim.group(1) + "/ack",
                    "application/json",
                    BodyPublishers.ofString("{\"status\":\"done\"}"),
                    200);
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    private void put(byte[] message) throws Exception {
        post("/v1/envelopes", "text/markdown", BodyPublishers.ofByteArray(message), 201);
    }

    private String post(String path, String type, BodyPublisher body, int expected)
            throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(url.resolve(path))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", type)
                        .POST(body)
                        .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != expected) {
            throw new IOException(
                    "found %d, expected %d: %s"
                            .formatted(answer.statusCode(), expected, answer.body()));
        }
        return answer.body();
    }

    @Override
    public void close() {
        client.close();
    }
}
