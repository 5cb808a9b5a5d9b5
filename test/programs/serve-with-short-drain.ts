/** `drover` that waits less than the usual 30 s for its prompts when it stops: `<drain ms> <arguments…>`. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../src/cli/program/main.ts'
import { createStandardInput } from '../../src/cli/standard-input.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { systemClock } from '../../src/kit/clock.ts'

const [drainMs, ...words] = process.argv.slice(2)
const root = join(import.meta.dirname, '..', '..')

process.exitCode = await main(words, {
  env: process.env,
  cwd: process.cwd(),
  homeDirectory: homedir(),
  version: () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  clock: systemClock,
  terminal: createTerminal(process, process.env),
  stdin: createStandardInput(process),
  isRoot: process.getuid?.() === 0,
  readableVariables: [],
  demoAgent: [process.execPath, join(root, 'bin', 'demo-agent.cjs')],
  consoleDirectory: join(root, 'dist', 'console'),
  jsonThread: join(root, 'bin', 'json-thread.cjs'),
  sandbox: { forwarder: '', probe: '' },
  drainMs: Number(drainMs),
})
