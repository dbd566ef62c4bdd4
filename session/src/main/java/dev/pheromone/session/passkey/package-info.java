/// Passkeys of people: what an assertion vouches for, and whether it does.
///
/// Read `Deed` first: what a person is asked to mean. A `Challenge` binds it to one hive and a
/// moment, an `Assertion` answers that, and `WebAuthn` alone knows the library that checks it.
/// `AssertionRecords` keep it as an event, and check it again. This room knows core, and nobody who
/// asks.
@NullMarked
package dev.pheromone.session.passkey;

import org.jspecify.annotations.NullMarked;
