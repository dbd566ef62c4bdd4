package dev.pheromone;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.selection.Waiting;

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

    /// What waits, in figures; a look like [#waiting], for whoever does not show each envelope.
    default InboxOverview overview() throws IOException {
        return InboxOverview.of(waiting());
    }

    /// How much waits. Where mail can be counted without looking at it, junk and what has expired
    /// counts too.
    default int depth() throws IOException {
        return waiting().size();
    }

    /// Takes the most urgent envelope, if any is ready.
    Selection select(Actor worker, Lease lease) throws IOException;

    /// Waits until something may have arrived or become ready, or `timeout` is over. A hint: it may
    /// wake for nothing, never misses for longer than a scan's interval.
    void await(Duration timeout) throws IOException, InterruptedException;

    /// Begins the lease of a claim anew, if its holder still has it. A worker that stays does so
    /// all the time, and nothing tells of it.
    Settlement renew(String claim) throws IOException;

    /// As [#renew], by a holder who says that the work is taken on: a hive that keeps a log has
    /// that in it, with the note.
    default Settlement accept(String claim, String note) throws IOException {
        return renew(claim);
    }

    /// Ends a claim as `outcome` says. Doing so twice is harmless: the first outcome stays.
    Settlement settle(String claim, Outcome outcome) throws IOException;
}
