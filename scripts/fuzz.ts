/**
 * `npm run fuzz [cases]`: runs the fuzz tests of the gate with many more cases, 100,000 each by default. The server gets a
 * hundredth of them, because each is a request. A run that hangs is ended and counts as failed.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const CASES = 100_000
/** Far longer than any case takes: a longer run hangs. */
const LIMIT_MS_A_CASE = 30

const root = join(import.meta.dirname, '..')
const cases = Number(process.argv[2] ?? CASES)
if (!Number.isSafeInteger(cases) || cases < 1) throw new Error(`the number of cases must be 1 or more, not ${cases}`)

const RUNS = [
  { file: 'test/source/fuzz.test.ts', cases },
  { file: 'test/http/fuzz.test.ts', cases: Math.ceil(cases / 100) },
]

let failed = 0
for (const run of RUNS) {
  const started = performance.now()
  const isSound = await fuzz(run)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`${isSound ? 'ok  ' : 'FAIL'} ${run.file}: ${run.cases} cases a test (${seconds} s)\n`)
  if (!isSound) failed += 1
}
process.exitCode = failed === 0 ? 0 : 1

function fuzz({ file, cases: count }: (typeof RUNS)[number]): Promise<boolean> {
  const timeout = 120_000 + count * LIMIT_MS_A_CASE
  const child = spawn(
    join(root, 'node_modules', '.bin', 'vitest'),
    ['run', '--project=program', file, `--testTimeout=${timeout}`],
    {
      cwd: root,
      env: { ...process.env, DROVER_FUZZ_RUNS: String(count) },
      stdio: 'inherit',
      shell: process.platform === 'win32',
      timeout: timeout * 2,
      killSignal: 'SIGKILL',
    },
  )
  return new Promise((resolve) => {
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}
