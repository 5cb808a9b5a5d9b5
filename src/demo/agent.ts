/**
 * drover's demo agent: a program that speaks as claude, codex or gemini does, and calls no model. It is run as
 * `node agent.ts <agent> <arguments of that agent>` with the prompt on stdin. Tests tell it through its environment what
 * to say and how to go wrong: `DEMO_AGENT_SCRIPT` (script.ts), `DEMO_AGENT_WORD_MS`, and `DEMO_AGENT_STATE`, the directory
 * of its sessions. drover hands none of its own variables to an agent, hence these names.
 */
import { runAgent } from './run-agent.ts'

process.stdin.setEncoding('utf8')

await runAgent({
  argv: process.argv.slice(2),
  // biome-ignore lint/style/noProcessEnv: the entry of a program reads its environment
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  leave: (exit) => {
    if (typeof exit === 'number') process.exit(exit)
    process.removeAllListeners(exit)
    process.kill(process.pid, exit)
  },
  onSignal: (signal, react) => process.on(signal, react),
})
