/// A hive that is open for a caller, and the transports that mail goes and comes by.
///
/// Read `OpenHive` first, then `GuardedTransport`: the hive's own inboxes, another transport, or a
/// broker. Nothing else asks which of these it is, and `NamedTransport` alone knows which kinds
/// hive.yaml can name. A `Lookup` finds copies and a `ClaimLookup` claims by what was said;
/// `Authority` says what is for people, `PublicPass` what must not become public.
///
/// Knows callers, the hive on disk, the other transports and redaction.
@NullMarked
package dev.pheromone.session.hive;

import org.jspecify.annotations.NullMarked;
