/// Tests of the session.
@NullMarked
package dev.pheromone.session.mail;

import org.jspecify.annotations.NullMarked;
