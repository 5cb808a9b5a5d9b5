/** The whole gate: format, lint, types, unused code and every test. The last line is `N passed, N failed`. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canSandbox, NO_SANDBOX } from './bubblewrap.ts'
import { findChromium, NO_CHROMIUM } from './chromium.ts'

type Tally = { passed: number; failed: number; skipped: number }
type Step = { name: string; argv: readonly [string, ...string[]] }

const root = join(import.meta.dirname, '..')

const CHECKS: readonly Step[] = [
  { name: 'format and lint', argv: ['biome', 'ci', '--error-on-warnings', '.'] },
  // Each checker works out the types that it needs by itself: one takes 40 % less CPU time than the default of four.
  { name: 'types', argv: ['tsc', '--checkers', '1'] },
  { name: 'types of the console', argv: ['tsc', '--checkers', '1', '--project', 'src/console'] },
  { name: 'unused code', argv: ['knip'] },
  { name: 'code in src that only tests use', argv: ['knip', '--production', '--config', 'knip.production.json'] },
]

const started = performance.now()
const before = readProcessors()
// At the same time: the tests wait for processes and disks often enough.
const [tests, ...checks] = await Promise.all([runTests(), ...CHECKS.map(runCheck)])
for (const { report } of checks) console.log(report)
console.log(describeTime())
const all = [...checks, tests]
const total = (count: keyof Tally) => all.reduce((sum, tally) => sum + tally[count], 0)
if (findChromium() === undefined) console.log(`the console was not tried in a browser: ${NO_CHROMIUM}`)
if (!canSandbox()) console.log(`sandboxes were not tried: ${NO_SANDBOX}`)
if (total('skipped') > 0)
  console.log(
    `${total('skipped')} skipped: npm run test:full or npm run test:console runs them, or this machine lacks what they need`,
  )
console.log(`${total('passed')} passed, ${total('failed')} failed`)
process.exitCode = total('failed') === 0 ? 0 : 1

/** Seconds of the processors since the machine was started; undefined where Linux does not tell. */
function readProcessors(): { all: number; idle: number; stolen: number } | undefined {
  if (process.platform !== 'linux') return undefined
  const times = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/ +/).slice(1, 9).map(Number) ?? []
  const seconds = (index: number) => (times[index] ?? 0) / 100
  return { all: times.reduce((sum, each) => sum + each, 0) / 100, idle: seconds(3) + seconds(4), stolen: seconds(7) }
}

/** A virtual machine loses time to others. Without that share, the time is that of cores for drover alone. */
function describeTime(): string {
  const seconds = (performance.now() - started) / 1000
  const [from, to] = [before, readProcessors()]
  if (from === undefined || to === undefined) return `${seconds.toFixed(0)} s`
  const share = (part: 'idle' | 'stolen') => `${((100 * (to[part] - from[part])) / (to.all - from.all)).toFixed(0)} %`
  return `${seconds.toFixed(0)} s; other machines took ${share('stolen')} of the processors, ${share('idle')} were idle`
}

async function runCheck(step: Step): Promise<Tally & { report: string }> {
  const started = performance.now()
  const { code, output } = await run(step.argv, 'captured')
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const report = `${code === 0 ? 'ok  ' : 'FAIL'} ${step.name} (${seconds} s)${code === 0 ? '' : `\n${output}`}`
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, report }
}

/** A run that fails without a failed test (a crash, no tests found) counts as one failure. */
async function runTests(): Promise<Tally> {
  const scratch = mkdtempSync(join(tmpdir(), 'drover-gate-'))
  try {
    const report = join(scratch, 'tests.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const projects = ['--project=unit', '--project=program']
    const { code } = await run(['vitest', 'run', ...projects, ...reporters], 'shown')
    const tally = readReport(report)
    const isComplete = code === 0 && tally.passed > 0
    return isComplete || tally.failed > 0 ? tally : { ...tally, failed: 1 }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function readReport(path: string): Tally {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

function run(argv: Step['argv'], output: 'shown' | 'captured'): Promise<{ code: number; output: string }> {
  const [name, ...args] = argv
  const binary = join(root, 'node_modules', '.bin', name)
  const stdio = output === 'shown' ? 'inherit' : 'pipe'
  const child = spawn(binary, args, { cwd: root, stdio: ['ignore', stdio, stdio], shell: process.platform === 'win32' })
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk))
  child.stderr?.on('data', (chunk) => (text += chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: String(error) }))
    child.on('close', (code) => resolve({ code: code ?? 1, output: text }))
  })
}
