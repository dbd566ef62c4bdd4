package dev.pheromone.session.mail;

import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Attachment;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.TraceParent;
import dev.pheromone.envelope.Ttl;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// What a caller wants to send: the body, and what was said about it. For what was not said there
/// are defaults, which the [Composer] knows. Null says nothing.
public final class Draft {

    private final byte[] body;
    private @Nullable String topic;
    private @Nullable Lane lane;
    private @Nullable Priority priority;
    private @Nullable Ttl ttl;
    private @Nullable String scope;
    private @Nullable Consent consent;
    private boolean isPublicMeant;
    private List<String> tags = List.of();
    private List<Attachment> attachments = List.of();
    private @Nullable Address replyTo;
    private @Nullable EnvelopeId correlation;
    private @Nullable TraceParent trace;
    private @Nullable EnvelopeId id;
    private @Nullable Ask ask;
    private boolean isDefaultMeant;
    private Answering answering = Answering.NO;
    private Signing.Wish signing = new Signing.Wish.AsExpected();

    public Draft(byte[] body) {
        this.body = body.clone();
    }

    public Draft topic(@Nullable String text) {
        this.topic = text;
        return this;
    }

    /// The kind of work; one that the hive allows.
    public Draft lane(@Nullable Lane kind) {
        this.lane = kind;
        return this;
    }

    public Draft priority(@Nullable Priority urgency) {
        this.priority = urgency;
        return this;
    }

    public Draft ttl(@Nullable Ttl validity) {
        this.ttl = validity;
        return this;
    }

    public Draft scope(@Nullable String path) {
        this.scope = path;
        return this;
    }

    public Draft consent(@Nullable Consent who) {
        this.consent = who;
        return this;
    }

    /// Says whether the caller means it that the mail leaves the team, which has to be said twice.
    public Draft publicMeant(boolean isMeant) {
        this.isPublicMeant = isMeant;
        return this;
    }

    public Draft tags(List<String> words) {
        this.tags = List.copyOf(words);
        return this;
    }

    public Draft attachments(List<Attachment> files) {
        this.attachments = List.copyOf(files);
        return this;
    }

    public Draft replyTo(@Nullable Address address) {
        this.replyTo = address;
        return this;
    }

    public Draft correlation(@Nullable EnvelopeId other) {
        this.correlation = other;
        return this;
    }

    public Draft trace(@Nullable TraceParent parent) {
        this.trace = parent;
        return this;
    }

    public Draft id(@Nullable EnvelopeId wanted) {
        this.id = wanted;
        return this;
    }

    /// What the mail asks; null if it is no question.
    public Draft ask(@Nullable Ask question) {
        this.ask = question;
        return this;
    }

    /// Says whether the caller means it that silence permits something, which has to be said.
    public Draft defaultMeant(boolean isMeant) {
        this.isDefaultMeant = isMeant;
        return this;
    }

    /// Whether a reply to a question answers it.
    public enum Answering {
        /// Its body must be an answer to the question, or nothing is sent.
        YES,
        /// It does if its body is one.
        IF_IT_FITS,
        /// It only speaks of the question.
        NO
    }

    /// Says whether the mail, as a reply to a question, answers it; no if nothing is said.
    public Draft answering(Answering wanted) {
        this.answering = wanted;
        return this;
    }

    public Draft signing(Signing.Wish wish) {
        this.signing = wish;
        return this;
    }

    public byte[] body() {
        return body.clone();
    }

    @Nullable String topic() {
        return topic;
    }

    @Nullable Lane lane() {
        return lane;
    }

    @Nullable Priority priority() {
        return priority;
    }

    @Nullable Ttl ttl() {
        return ttl;
    }

    @Nullable String scope() {
        return scope;
    }

    @Nullable Consent consent() {
        return consent;
    }

    boolean isPublicMeant() {
        return isPublicMeant;
    }

    List<String> tags() {
        return tags;
    }

    List<Attachment> attachments() {
        return attachments;
    }

    @Nullable Address replyTo() {
        return replyTo;
    }

    @Nullable EnvelopeId correlation() {
        return correlation;
    }

    @Nullable TraceParent trace() {
        return trace;
    }

    @Nullable EnvelopeId id() {
        return id;
    }

    @Nullable Ask ask() {
        return ask;
    }

    boolean isDefaultMeant() {
        return isDefaultMeant;
    }

    Answering answering() {
        return answering;
    }

    Signing.Wish signing() {
        return signing;
    }
}
