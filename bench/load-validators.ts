/** The time to load each generated validator, in its own process. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const BUDGET_MS = 10
const ROUNDS = 15
const root = join(import.meta.dirname, '..')

export function benchValidators(): string {
  const files = globSync('src/**/*.generated.js', { cwd: root }).sort()
  const rows = files.map((file) => {
    const loads = Array.from({ length: ROUNDS }, () => loadOnce(file)).sort((a, b) => a - b)
    const median = loads[Math.floor(ROUNDS / 2)] ?? Number.NaN
    return `  ${file.padEnd(40)} ${median.toFixed(1).padStart(6)} ms${median > BUDGET_MS ? '  OVER' : ''}`
  })
  return [`Loading generated code (budget ${BUDGET_MS} ms a file, compile cache warm)`, ...rows].join('\n')
}

function loadOnce(file: string): number {
  const url = JSON.stringify(pathToFileURL(join(root, file)).href)
  const script = `require('node:module').enableCompileCache(); const t = performance.now();
    import(${url}).then(() => process.stdout.write(String(performance.now() - t)))`
  return Number(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout)
}
