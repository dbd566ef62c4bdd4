/// What the guide shows to those who write a transport of their own.
@NullMarked
package dev.pheromone.example.transport;

import org.jspecify.annotations.NullMarked;
