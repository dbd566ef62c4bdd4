/// Keys, and what they vouch for: keys, verify, and redact, which makes a public copy under a new
/// signature. Read `KeysCommand` first.
@NullMarked
package dev.pheromone.cli.keys;

import org.jspecify.annotations.NullMarked;
