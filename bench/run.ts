/** `npm run bench [name…]`: prints ratios taken side by side in this very run. */
import { cpus, totalmem } from 'node:os'
import { benchHttp } from './http.ts'
import { benchValidators } from './load-validators.ts'
import { benchEvents } from './read-events.ts'
import { benchPrompts } from './run-prompts.ts'
import { benchSessions } from './sessions.ts'
import { benchSource } from './source.ts'
import { benchStartUp } from './start-up.ts'
import { benchWorkspace } from './workspace.ts'

const BENCHES: Record<string, () => Promise<string> | string> = {
  'start-up': benchStartUp,
  validators: benchValidators,
  prompts: benchPrompts,
  events: benchEvents,
  sessions: benchSessions,
  source: benchSource,
  http: benchHttp,
  workspace: benchWorkspace,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in BENCHES))
if (unknown.length > 0) {
  console.error(`no bench named ${unknown.join(', ')}; there are: ${Object.keys(BENCHES).join(', ')}`)
  process.exitCode = 2
} else {
  const gib = (totalmem() / 2 ** 30).toFixed(0)
  console.log(
    `Node ${process.versions.node}, ${process.platform}-${process.arch}, ${cpus().length} cores, ${gib} GiB\n`,
  )
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (asked.length === 0 || asked.includes(name)) console.log(`${await bench()}\n`)
  }
}
