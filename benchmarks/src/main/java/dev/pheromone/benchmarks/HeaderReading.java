package dev.pheromone.benchmarks;

import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Reading the same headers with our reader and with a YAML library; JMH runs each in a JVM of its
/// own.
///
/// The library is asked twice. Into a map is what a program would call to get at a header's fields;
/// they are still texts then, and nothing is checked. Events only is the least that the library can
/// do, and less than anybody could use: no nodes, no map, no types. The goal is set against that.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HeaderReading {

    private final List<byte[]> envelopes = SampleHeaders.envelopes();
    private final LoadSettings settings =
            LoadSettings.builder().setSchema(new FailsafeSchema()).build();
    private final Load load = new Load(settings);
    private final Parse parse = new Parse(settings);

    /// Header fields as typed values: what selection reads of each waiting file.
    @Benchmark
    @OperationsPerInvocation(SampleHeaders.COUNT)
    public void ours(Blackhole sink) throws MalformedEnvelopeException {
        for (byte[] envelope : envelopes) {
            sink.consume(Header.parse(envelope, envelope.length));
        }
    }

    /// Header fields as texts, every one of them.
    @Benchmark
    @OperationsPerInvocation(SampleHeaders.COUNT)
    public void oursAsText(Blackhole sink) throws MalformedEnvelopeException {
        for (byte[] envelope : envelopes) {
            sink.consume(EnvelopeText.parseHeader(envelope, envelope.length));
        }
    }

    /// A map of the same bytes.
    @Benchmark
    @OperationsPerInvocation(SampleHeaders.COUNT)
    public void yamlMap(Blackhole sink) {
        for (byte[] envelope : envelopes) {
            sink.consume(load.loadFromString(header(envelope)));
        }
    }

    /// The library's events of the same bytes.
    @Benchmark
    @OperationsPerInvocation(SampleHeaders.COUNT)
    public void yamlEvents(Blackhole sink) {
        for (byte[] envelope : envelopes) {
            for (Event event : parse.parseString(header(envelope))) {
                sink.consume(event);
            }
        }
    }

    /// Between the first two lines `---`; the samples have neither a byte order mark nor CR LF.
    private static String header(byte[] envelope) {
        String text = new String(envelope, StandardCharsets.UTF_8);
        return text.substring("---\n".length(), text.indexOf("\n---\n") + 1);
    }
}
