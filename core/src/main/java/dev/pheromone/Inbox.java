package dev.pheromone;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// The envelopes for one domain: looked at, taken one at a time, and settled.
///
/// Several processes may use one inbox in any mix; a copy of an envelope is claimed by one of them
/// at a time.
public interface Inbox {

    /// Whose mail it holds.
    Domain domain();

    /// What waits, in the order in which it would be taken; a look, which changes nothing.
    List<Waiting> waiting() throws IOException;

    /// Takes the most urgent envelope, if any is ready.
    Selection select(Actor worker, Lease lease) throws IOException;

    /// Waits until something may have arrived or become ready, or `timeout` is over. A hint: it may
    /// wake for nothing, never misses for longer than a scan's interval.
    void await(Duration timeout) throws IOException, InterruptedException;

    /// The claim of this name, if its holder still has it.
    Settlement renew(String claim) throws IOException;

    /// Ends a claim as `outcome` says. Doing so twice is harmless: the first outcome stays.
    Settlement settle(String claim, Outcome outcome) throws IOException;
}
