package dev.pheromone.text;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a type whose results must be used: its methods answer with a new value and change nothing.
///
/// Error Prone knows this annotation by its simple name and fails the build where a result is
/// dropped.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface CheckReturnValue {}
