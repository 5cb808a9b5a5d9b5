/** Tests drover with the real agents on PATH. Fails if there are none, because nothing was tested. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { NATIVE_BACKENDS } from '../src/agents/adapter/agent.ts'
import { findProgram } from '../src/kit/process/find-program.ts'

const root = join(import.meta.dirname, '..')
const found = NATIVE_BACKENDS.filter(
  (backend) => findProgram(backend, { env: process.env, cwd: process.cwd() }) !== undefined,
)
const missing = NATIVE_BACKENDS.filter((backend) => !found.includes(backend))

if (found.length === 0) {
  console.error(`none of ${NATIVE_BACKENDS.join(', ')} is on PATH: nothing was tested`)
  process.exitCode = 1
} else {
  const vitest = join(root, 'node_modules', '.bin', 'vitest')
  const { status } = spawnSync(vitest, ['run', '--project', 'real', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
  console.log(
    `tested: ${found.join(', ')}${missing.length === 0 ? '' : `; not on PATH, so not tested: ${missing.join(', ')}`}`,
  )
  process.exitCode = status ?? 1
}
