package dev.pheromone.hooks.setup;

import dev.pheromone.hooks.Harness;
import dev.pheromone.hooks.Harness.Purpose;
import dev.pheromone.text.Json;

/// The plugin that is OpenCode's hook, because its settings name none: it asks the locks before
/// each step, and brings the bell's words into the session. What the program takes was tried with
/// OpenCode 1.18.33.
///
/// All that gets into a session by a message stands there as the user's own words. A text that
/// wakes a session is sent with the agent and the model of the session's last message: the default
/// agent may do more than the one that the user has chosen.
final class OpenCodePlugin {

    private OpenCodePlugin() {}

    static String text(HookCommands commands) {
        Harness harness = commands.harness();
        Harness.Event guard = harness.events().getFirst();
        return """
        // Asks the locks before each step: rsm hook %1$s %2$s
        // Tells sessions of their mail, and wakes idle ones where somebody sits at the terminal.
        // Written by rsm setup; rsm setup opencode --remove takes it out.
        import { spawn } from "node:child_process"
        import { watch } from "node:fs"

        const rsm = %3$s
        const problem = %4$s
        const guard = %5$s
        const [start, prompt, tool, stop, end, changed] = %6$s
        // Without a terminal nobody waits for what a message of ours would begin.
        const alone = ["run", "serve", "acp", "github", "pr"]
        const attended = process.env.RSM_ATTENDED
          ? process.env.RSM_ATTENDED === "1"
          : !process.argv.slice(1).some((word) => alone.includes(word))

        function ask(directory, event, call, milliseconds) {
          return new Promise((resolve) => {
            const env = attended ? { ...process.env, RSM_ATTENDED: "1" } : process.env
            const hook = spawn(rsm, ["hook", "%1$s", event], { cwd: directory, timeout: milliseconds, env })
            const said = { status: null, out: "", err: "" }
            hook.stdout.on("data", (text) => { said.out += text })
            hook.stderr.on("data", (text) => { said.err += text })
            hook.stdin.on("error", () => {})
            hook.on("error", () => resolve(said))
            hook.on("close", (status) => resolve({ ...said, status }))
            hook.stdin.end(JSON.stringify({ hook_event_name: event, cwd: directory, ...call }))
          })
        }

        export const Pheromone = async ({ client, directory }) => {
          // Each session that this program runs, and whether it is at work.
          const sessions = new Map()
          let watched = false

          // What the bell says. Whatever goes wrong, it says nothing.
          async function ring(event, id) {
            const said = await ask(directory, event, { session_id: id }, %8$d)
            if (event === changed) return said.status === 2 ? said.err.trim() : ""
            try {
              const output = said.status === 0 && said.out.trim() ? JSON.parse(said.out).hookSpecificOutput : {}
              if (event === start && attended) look(output.watchPaths ?? [])
              return output.additionalContext ?? ""
            } catch {
              return ""
            }
          }

          function known(id) {
            if (!sessions.has(id)) sessions.set(id, { busy: false, own: "", begun: null, asked: false, again: false })
            return sessions.get(id)
          }

          // Subagents have sessions of their own, and no mail.
          async function isOfSubagent(id, session) {
            if (session.child === undefined) {
              const found = await client.session.get({ path: { id } }).catch(() => ({}))
              session.child = Boolean(found.data?.parentID)
            }
            return session.child
          }

          function begin(id, session) {
            session.begun ??= ring(start, id)
            return session.begun
          }

          function look(folders) {
            if (watched) return
            watched = true
            let soon = null
            for (const folder of folders) {
              try {
                watch(folder, { recursive: true }, () => {
                  soon ??= setTimeout(() => { soon = null; for (const id of sessions.keys()) wake(id) }, 300)
                }).on("error", () => {})
              } catch {}
            }
          }

          // One question at a time for a session: what changes meanwhile makes it ask once more.
          async function wake(id) {
            const session = known(id)
            if (!attended || session.busy || session.child || !session.last) return
            if (session.asked) { session.again = true; return }
            session.asked = true
            try {
              do {
                session.again = false
                const text = await ring(changed, id)
                if (text && !session.busy) {
                  session.own = text
                  const parts = [{ type: "text", text, synthetic: false }]
                  await client.session.promptAsync({ path: { id }, body: { ...session.last, parts } })
                }
              } while (session.again && !session.busy)
            } catch {
              session.own = ""
            } finally {
              session.asked = false
            }
          }

          return {
            [guard]: async (input, output) => {
              const call = { session_id: input.sessionID, tool_name: input.tool, tool_input: output.args }
              const said = await ask(directory, guard, call, %7$d)
              if (said.status !== 0) throw new Error((said.status === 2 && said.err.trim()) || problem)
            },
            event: async ({ event }) => {
              const id = event.properties?.sessionID ?? event.properties?.info?.id
              if (event.type === start && event.properties.info) {
                const session = known(id)
                session.child = Boolean(event.properties.info.parentID)
                if (!session.child) await begin(id, session)
              } else if (event.type === stop && sessions.has(id) && !sessions.get(id).child) {
                sessions.get(id).busy = false
                await ring(stop, id)
                wake(id)
              } else if (event.type === end && sessions.has(id)) {
                sessions.delete(id)
                await ring(end, id)
              }
            },
            [prompt]: async (input, output) => {
              const id = input.sessionID
              const session = known(id)
              session.busy = true
              if (await isOfSubagent(id, session)) return
              const { agent, model } = output.message
              session.last = { ...(agent && { agent }), ...(model && { model }) }
              const last = output.parts.findLast((part) => part.type === "text")
              if (last?.text && last.text === session.own) { session.own = ""; return }
              const first = session.told ? "" : await begin(id, session)
              session.told = true
              const texts = [first, await ring(prompt, id)].filter(Boolean)
              texts.forEach((text, i) => {
                const part = { id: `${output.parts.at(-1).id}${i}`, sessionID: id, messageID: output.message.id }
                output.parts.push({ ...part, type: "text", text, synthetic: true })
              })
            },
            [tool]: async (input, output) => {
              const session = known(input.sessionID)
              if (await isOfSubagent(input.sessionID, session)) return
              const text = await ring(tool, input.sessionID)
              if (!text) return
              if (typeof output.output === "string") output.output += `\\n\\n${text}`
              else if (Array.isArray(output.content)) output.content.push({ type: "text", text })
            },
            "shell.env": async (input, output) => {
              if (input.sessionID) output.env.OPENCODE_SESSION_ID = input.sessionID
            },
          }
        }
        """
                .formatted(
                        harness,
                        guard.name(),
                        Json.of(
                                commands.scope() == Scope.SHARED
                                        ? "rsm"
                                        : commands.launcher().toString()),
                        Json.of(commands.problem()),
                        Json.of(guard.name()),
                        Json.arr(
                                harness.events().stream()
                                        .filter(event -> event.purpose() != Purpose.GUARD)
                                        .map(event -> (Json) Json.of(event.name()))
                                        .toList()),
                        milliseconds(guard),
                        milliseconds(harness.events().getLast()));
    }

    private static long milliseconds(Harness.Event event) {
        return HookCommands.timeoutSeconds(event) * 1_000;
    }
}
