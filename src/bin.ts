import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { wrapMessages } from './cli/output/wrap-words.ts'
import { main } from './cli/program/main.ts'
import { createStandardInput } from './cli/standard-input.ts'
import { createTerminal } from './cli/terminal.ts'
import { systemClock } from './kit/clock.ts'
import { hideVariables } from './kit/process/child-environment.ts'

const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Node's exit code for a program that ends while it still waits for a promise. */
const EXIT_UNSETTLED_AWAIT = 13

process.exitCode = EXIT_UNSETTLED_AWAIT
void main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  homeDirectory: homedir(),
  version: () => JSON.parse(readFileSync(beside('../package.json'), 'utf8')).version,
  clock: systemClock,
  terminal: createTerminal(process, process.env, wrapMessages),
  stdin: createStandardInput(process),
  isRoot: process.getuid?.() === 0,
  readableVariables: hideVariables(process.env, beside('../bin/hide-variables.cjs')),
  demoAgent: [process.execPath, beside('../bin/demo-agent.cjs')],
  consoleDirectory: beside('../dist/console/'),
  jsonThread: beside('../bin/json-thread.cjs'),
  sandbox: { forwarder: beside('../bin/sandbox-forwarder.cjs'), probe: beside('../bin/sandbox-probe.cjs') },
}).then((exitCode) => {
  process.exitCode = exitCode
})
