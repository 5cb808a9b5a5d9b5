/**
 * The fake agent of the tests: a program that is called and prints as claude, codex or gemini, and calls no model. It is run
 * as `node agent.ts <agent> <arguments of that agent>` with the prompt on stdin. Its environment says what it answers and how
 * it goes wrong: `FAKE_AGENT_SCRIPT` (script.ts) and `FAKE_AGENT_STATE`, the directory of its sessions.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runAgent } = await import('./run-agent.ts')

process.stdin.setEncoding('utf8')

await runAgent({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  exit: (exitCode) => {
    if (typeof exitCode === 'number') process.exit(exitCode)
    process.removeAllListeners(exitCode)
    process.kill(process.pid, exitCode)
  },
  onSignal: (signal, react) => process.on(signal, react),
})
