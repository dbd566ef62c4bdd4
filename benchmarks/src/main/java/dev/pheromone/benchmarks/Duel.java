package dev.pheromone.benchmarks;

import java.util.ArrayList;
import java.util.List;

/// Two ways to do a thing, measured in turns of a few milliseconds to a few seconds, so that what
/// else the machine does hits both.
///
/// @param ours nanoseconds an operation, one sample a round
/// @param peer the same of what ours is compared with
/// @param ratios ours by peer, round by round: neighbours in time share the weather
record Duel(Samples ours, Samples peer, Samples ratios) {

    /// One side. A round returns the nanoseconds that one operation took.
    interface Side {
        double round() throws Exception;
    }

    /// Lets both sides take turns; who begins changes with each round.
    static Duel run(int warmUps, int rounds, Side ours, Side peer) throws Exception {
        for (int i = 0; i < warmUps; i++) {
            ours.round();
            peer.round();
        }
        List<Double> ourTimes = new ArrayList<>();
        List<Double> peerTimes = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            if (i % 2 == 0) {
                ourTimes.add(ours.round());
                peerTimes.add(peer.round());
            } else {
                peerTimes.add(peer.round());
                ourTimes.add(ours.round());
            }
        }
        return of(ourTimes, peerTimes);
    }

    static Duel of(List<Double> ours, List<Double> peer) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(ours.get(i) / peer.get(i));
        }
        return new Duel(Samples.of(ours), Samples.of(peer), Samples.of(ratios));
    }
}
