/// Questions that get answered: where answers are looked for, how long somebody waits for one, and
/// what the log is told.
///
/// Read `QuestionView` first: a question with what it has come to, which the pure
/// [dev.pheromone.question.Question] decides from the mail that an `AnswerBox` finds. `AnswerWait`
/// waits for that, `OpenQuestions` lists those that are open, and `QuestionLog` tells the log.
///
/// Knows callers, the open hive and what is sent.
@NullMarked
package dev.pheromone.session.question;

import org.jspecify.annotations.NullMarked;
