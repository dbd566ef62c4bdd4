/// What the guide shows to those who embed a hive in a program of their own.
@NullMarked
package dev.pheromone.example;

import org.jspecify.annotations.NullMarked;
