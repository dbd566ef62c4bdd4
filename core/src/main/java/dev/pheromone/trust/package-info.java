/// Keys, and whom they are believed: a [dev.pheromone.trust.Signer] makes signatures, a
/// [dev.pheromone.trust.Key] checks them, and the [dev.pheromone.trust.TrustList] says who vouches
/// for an envelope.
@NullMarked
package dev.pheromone.trust;

import org.jspecify.annotations.NullMarked;
