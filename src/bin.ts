import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { main } from './cli/main.ts'
import { createStandardInput } from './cli/standard-input.ts'
import { createTerminal } from './cli/terminal.ts'
import { systemClock } from './kit/clock.ts'

const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url))

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  homeDirectory: homedir(),
  version: () => JSON.parse(readFileSync(beside('../package.json'), 'utf8')).version,
  clock: systemClock,
  terminal: createTerminal({ stdout: process.stdout, stderr: process.stderr }, process.env),
  stdin: createStandardInput(process.stdin),
  isRoot: process.getuid?.() === 0,
  demoAgent: [process.execPath, beside('../bin/demo-agent.cjs')],
})
