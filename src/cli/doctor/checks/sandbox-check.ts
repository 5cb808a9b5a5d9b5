import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok, warning } from './finding.ts'

export const SANDBOX = defineFindings('Programs', 'sandbox', {
  sandbox_enforced: ok(
    'A sandbox was started, and everything that a program in it tried was refused. Driven runs use it.',
  ),
  sandbox_missing: warning(
    'There is no sandbox on this machine, or it does not hold. Driven runs work without one: agents edit files and run the checks, and checks and setups run as you.',
    'run drover sandbox check, and install bubblewrap if you use Linux',
  ),
})

export async function checkSandbox({ sandbox }: CheckContext): Promise<Finding[]> {
  const { problem } = await sandbox
  return [
    problem === undefined
      ? SANDBOX.sandbox_enforced({ detail: 'the sandbox holds: enforced by bubblewrap, tried just now' })
      : SANDBOX.sandbox_missing({ detail: problem }),
  ]
}
