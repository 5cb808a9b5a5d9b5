/** Real sandboxes. Tests of them are skipped where there is no bubblewrap, or no user namespaces. */
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { canSandbox, NO_SANDBOX } from '../../scripts/bubblewrap.ts'
import { runProcess } from '../../src/kit/process/process.ts'
import type { BoundaryEvent } from '../../src/sandbox/boundary-report.ts'
import { createPolicy, type PolicyRequest } from '../../src/sandbox/create-policy.ts'
import { findSandboxPrograms } from '../../src/sandbox/find-programs.ts'
import { openBoundary } from '../../src/sandbox/open-boundary.ts'
import { OUTER_VARIABLES } from './escape-victim.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin')

export const hasSandbox = canSandbox()

/** For `beforeEach`. */
export function skipWithoutSandbox({ skip }: TestContext): void {
  skip(!hasSandbox, NO_SANDBOX)
}

const OUTPUT_LIMIT = { stdoutLimitBytes: 4 * 1024 * 1024 }

export type Inside = Pick<PolicyRequest, 'worktree' | 'home' | 'droverHome' | 'hidden'> & {
  settings?: Partial<PolicyRequest['settings']>
  env?: Record<string, string>
}

const UNLIMITED = { memoryBytes: undefined, processes: undefined, fileBytes: undefined }

export async function runInside(argv: readonly [string, ...string[]], { settings, env = {}, ...where }: Inside) {
  // Without a session of systemd, as in containers.
  const places = { env: { ...process.env, XDG_RUNTIME_DIR: undefined }, cwd: process.cwd() }
  const programs = findSandboxPrograms(places, join(BIN, 'sandbox-forwarder.cjs'))
  const complete = { hosts: [], env: Object.keys(env), read: [], write: [], limits: UNLIMITED, ...settings }
  const policy = createPolicy({ ...where, programs: [programs.node], settings: complete })
  const events: BoundaryEvent[] = []
  const cwd = where.worktree.root
  const boundary = await openBoundary({
    ...{ argv, cwd, policy, programs, env: { PATH: process.env['PATH'], ...OUTER_VARIABLES, ...env } },
    onEvent: (event) => events.push(event),
  })
  try {
    const limits = { timeoutMs: 30_000, signal: boundary.exceeded, sweep: 'when-ended' } as const
    const { exit, stdout } = await runProcess({ ...boundary.command, cwd, ...limits }, OUTPUT_LIMIT)
    await boundary.settle()
    return { ...exit, stdout: stdout.toString('utf8'), events, hasStarted: boundary.hasStarted() }
  } finally {
    await boundary.close()
  }
}
