package dev.pheromone.cli;

import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;

/// The browser's own virtual authenticator: a device that is asked as a real one is, with a finger
/// on it that the test moves.
final class BoardAuthenticator {

    private final CDPSession session;
    private final String id;

    private BoardAuthenticator(CDPSession session) {
        this.session = session;
        JsonObject options = new JsonObject();
        options.addProperty("protocol", "ctap2");
        options.addProperty("transport", "internal");
        options.addProperty("hasResidentKey", true);
        options.addProperty("hasUserVerification", true);
        options.addProperty("isUserVerified", true);
        options.addProperty("automaticPresenceSimulation", true);
        JsonObject parameters = new JsonObject();
        parameters.add("options", options);
        JsonObject added = session.send("WebAuthn.addVirtualAuthenticator", parameters);
        this.id = added.get("authenticatorId").getAsString();
    }

    /// The one that is built into the machine of whoever looks at `page`.
    static BoardAuthenticator in(Page page) {
        CDPSession session = page.context().newCDPSession(page);
        session.send("WebAuthn.enable");
        return new BoardAuthenticator(session);
    }

    /// Whether whoever sits there is the person, by finger, face or PIN.
    void setVerified(boolean isVerified) {
        JsonObject parameters = new JsonObject();
        parameters.addProperty("authenticatorId", id);
        parameters.addProperty("isUserVerified", isVerified);
        session.send("WebAuthn.setUserVerified", parameters);
    }
}
