/// The paths that somebody is at work on: what is reserved, and the scopes of claimed mail. Begin
/// with [dev.pheromone.file.scope.Holds], which has both; `Reservations` keeps the reservations, a
/// file for each, and `ClaimedScopes` reads the claims. What another's hold means for a caller is
/// decided in sessions.
///
/// Knows the names of claims, and the patterns of locks.
@NullMarked
package dev.pheromone.file.scope;

import org.jspecify.annotations.NullMarked;
