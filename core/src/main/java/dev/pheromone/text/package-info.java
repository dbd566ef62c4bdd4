/// Text that knows nothing of the protocol: JSON that is read with care and written the same every
/// time ([dev.pheromone.text.Json] is the class to read first), times, and characters that nobody
/// sees.
@NullMarked
package dev.pheromone.text;

import org.jspecify.annotations.NullMarked;
