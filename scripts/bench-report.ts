/**
 * `npm run bench:report`: runs every bench and the fuzz tests, and writes docs/benchmarks.md with the facts of this machine.
 * With names it runs only these, and keeps the other figures.
 * With `--frame` it runs nothing and writes the page without figures, for example after a bench was added or removed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { BENCHES } from '../bench/benches.ts'
import {
  benchPage,
  type Figures,
  type Machine,
  type Measured,
  machineTable,
  type Report,
  readSections,
} from './bench-page.ts'

const FUZZ_CASES = 20_000
/** Several times the duration of the slowest bench on a slow machine: a longer run hangs. */
const LIMIT_MS = 20 * 60_000

const root = join(import.meta.dirname, '..')

/**
 * Builds the page with the results of `measureOne`; without it the page says that nothing was measured. `kept` has the
 * sections that stay as they are.
 */
export async function report(
  measureOne?: (args: readonly string[]) => Promise<Figures>,
  kept: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const measure = async (name: string, args: readonly string[]) => (kept.has(name) ? undefined : measureOne?.(args))
  const measured: Measured[] = []
  for (const [name, { compares }] of Object.entries(BENCHES)) {
    const figures = await measure(name, ['bench/run.ts', name])
    const command = `npm run bench ${name}`
    measured.push({ name, compares, command, figures: figures && withoutHead(figures), kept: kept.get(name) })
  }
  const fuzzed = await measure('fuzz', ['scripts/fuzz.ts', String(FUZZ_CASES)])
  const whole: Report = {
    machine: measureOne && machineFacts(),
    benches: measured,
    fuzz: {
      name: 'fuzz',
      compares: `Not a speed: the number of random inputs for each fuzz test. Every input must be accepted or refused with a known error.
The gate runs 1,000 of each.`,
      command: `npm run fuzz ${FUZZ_CASES}`,
      figures: fuzzed && verdictsOf(fuzzed),
      kept: kept.get('fuzz'),
    },
  }
  return benchPage(whole)
}

/** What stays on the page when only some benches run. Throws if its figures are of another machine. */
function sectionsBut(names: readonly string[], page: string): ReadonlyMap<string, string> {
  const unknown = names.filter((name) => name !== 'fuzz' && !(name in BENCHES))
  if (unknown.length > 0) throw new Error(`no bench named ${unknown.join(', ')}`)
  if (names.length === 0) return new Map()
  if (!page.includes(machineTable(machineFacts()))) {
    throw new Error('docs/benchmarks.md has figures of another machine: run "npm run bench:report" without names')
  }
  return new Map([...readSections(page)].filter(([name]) => !names.includes(name)))
}

/** Contains no host name, user name or path. */
function machineFacts(): Machine {
  const { stdout } = spawnSync('git', ['--version'], { encoding: 'utf8' })
  return {
    system: `${process.platform} ${release().split('.').slice(0, 2).join('.')}, ${process.arch}`,
    processors: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    Node: process.versions.node,
    git: /\d[\d.]*\d/.exec(stdout ?? '')?.[0] ?? 'none',
  }
}

/** Each bench prints the machine first; the page shows it once. */
function withoutHead({ printed, seconds }: Figures): Figures {
  return { printed: printed.replace(/^Node .*\n+/, ''), seconds }
}

/** Drops the lines of the test runner in between. */
function verdictsOf({ printed, seconds }: Figures): Figures {
  return { printed: (printed.match(/^(?:ok|FAIL) .*$/gm) ?? []).join('\n'), seconds }
}

function measureHere(args: readonly string[]): Promise<Figures> {
  console.log(`node ${args.join(' ')}`)
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    process.stdout.write(text)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve({ printed, seconds: (performance.now() - started) / 1000 })
      else reject(new Error(`${args.join(' ')} ended with ${code ?? signal}; docs/benchmarks.md is as it was`))
    })
  })
}

if (import.meta.main) {
  const path = join(root, 'docs', 'benchmarks.md')
  const names = process.argv.slice(2).filter((word) => word !== '--frame')
  const kept = sectionsBut(names, readFileSync(path, 'utf8'))
  writeFileSync(path, await report(process.argv.includes('--frame') ? undefined : measureHere, kept))
  console.log('docs/benchmarks.md is written')
}
