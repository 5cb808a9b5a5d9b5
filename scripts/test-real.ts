/** Tests drover with the real agents on PATH. Fails if there are none, because nothing was tested. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { NATIVE_BACKENDS } from '../src/agents/adapter/agent.ts'
import { findProgram } from '../src/kit/process/find-program.ts'
import { testable } from '../test/real/acp-agents.ts'
import { missingPackages, PYTHON } from '../test/real/python-clients.ts'

const root = join(import.meta.dirname, '..')
const programs = [
  ...NATIVE_BACKENDS.map((name) => ({ name: String(name), program: String(name) })),
  ...testable.map(({ name, command }) => ({ name, program: command[0] })),
]
const isInstalled = (program: string) => findProgram(program, { env: process.env, cwd: process.cwd() }) !== undefined
const found = programs.filter(({ program }) => isInstalled(program)).map(({ name }) => name)
const missing = programs.filter(({ program }) => !isInstalled(program)).map(({ name }) => name)

if (found.length === 0) {
  console.error(`none of ${missing.join(', ')} is on PATH: nothing was tested`)
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
  if (missingPackages.length > 0) {
    console.log(
      `not tested, because ${PYTHON} does not have them: ${missingPackages.join(', ')}; install test/real/python/requirements.txt, and name that Python in CLIENTS_PYTHON`,
    )
  }
  process.exitCode = status ?? 1
}
