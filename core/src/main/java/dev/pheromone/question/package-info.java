/// What becomes of a question, as a pure function of the answers that were stored, of time and of
/// trust: which answer counts, which came too late, and what holds if none came.
///
/// Read [dev.pheromone.question.Question] first. No transport decides any of this: transports store
/// questions and answers as mail.
@NullMarked
package dev.pheromone.question;

import org.jspecify.annotations.NullMarked;
