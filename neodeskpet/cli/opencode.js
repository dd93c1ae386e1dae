// NeoDeskPet: shows at the desktop companion what opencode does, and asks for permissions there.
// Written by `neodeskpet agents install opencode`; `neodeskpet agents remove opencode` deletes it.
import { spawn } from "node:child_process"

const COMMAND = ["neodeskpet", "agents", "hook", "opencode"]

export const NeoDeskPet = async ({ client, directory }) => {
  const asked = new Map() // permission id -> the process that asks, once it runs
  const busy = new Set() // sessions that work
  let last = Promise.resolve() // ends when the hooks before have ended: they keep their order

  const start = (event) => {
    const [program, ...words] = COMMAND
    const hook = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] })
    hook.on("error", () => {})
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify(event))
    return hook
  }

  const ended = (hook) =>
    new Promise((resolve) => {
      hook.on("close", resolve)
      hook.on("error", resolve)
    })

  const tell = (event) => {
    last = last.then(() => ended(start(event)))
  }

  const reply = async (sessionID, permissionID, response) => {
    await client.postSessionIdPermissionsPermissionId({
      path: { id: sessionID, permissionID },
      body: { response },
    })
  }

  const ask = async (permission) => {
    const { id, sessionID } = permission
    const patterns = permission.patterns ?? permission.pattern ?? []
    const input = { ...(permission.metadata ?? {}) }
    if (!Object.keys(input).length) input.command = [patterns].flat().join(" ")
    asked.set(id, null)
    await last // the hooks after it don't wait for the answer
    if (!asked.has(id)) return // it was answered in the terminal
    const hook = start({
      hook_event_name: "permission.asked",
      session_id: sessionID,
      cwd: directory,
      tool_name: permission.permission ?? permission.type ?? permission.title ?? "",
      tool_input: input,
    })
    let said = ""
    asked.set(id, hook)
    hook.stdout.on("data", (data) => (said += data))
    await ended(hook)
    if (!asked.delete(id)) return // it was answered in the terminal
    try {
      await reply(sessionID, id, JSON.parse(said).reply)
    } catch {} // no answer: the terminal asks
  }

  return {
    event: async ({ event }) => {
      const about = event.properties ?? {}
      const session = about.sessionID
      switch (event.type) {
        case "permission.asked":
        case "permission.updated":
          if (about.id && !asked.has(about.id)) ask(about)
          break
        case "permission.replied": {
          const id = about.requestID ?? about.permissionID
          const hook = asked.get(id)
          asked.delete(id)
          hook?.kill() // the question at the companion goes with it
          break
        }
        case "session.status":
          if (about.status?.type === "busy" && !busy.has(session)) {
            busy.add(session)
            tell({ hook_event_name: "session.busy", session_id: session })
          }
          break
        case "session.idle":
        case "session.error":
          busy.delete(session)
          tell({ hook_event_name: event.type, session_id: session })
          break
      }
    },
  }
}
