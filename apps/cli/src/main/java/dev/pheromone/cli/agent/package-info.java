/// Agent programs: the hook that is asked before each of their tool calls, and the setup that puts
/// the hook into their settings. Read `HookCommand` first; what a call may touch is decided in
/// `dev.pheromone.hooks`, with the locks that `GuardLocks` gives to it.
@NullMarked
package dev.pheromone.cli.agent;

import org.jspecify.annotations.NullMarked;
