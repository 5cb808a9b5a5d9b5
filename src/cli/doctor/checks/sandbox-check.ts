import { trySandbox } from '../../sandbox/check-sandbox.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFinding, type Finding } from './finding.ts'

const SANDBOX = { group: 'Programs', name: 'sandbox' } as const

export const sandboxEnforced = defineFinding({
  ...SANDBOX,
  code: 'sandbox_enforced',
  status: 'ok',
  means: 'A sandbox was started, and everything that a program in it tried was refused. Driven runs use it.',
})

export const sandboxMissing = defineFinding({
  ...SANDBOX,
  code: 'sandbox_missing',
  status: 'warning',
  means:
    'There is no sandbox on this machine, or it does not hold. Driven runs work without one: agents edit files and run the checks, and checks and setups run as you.',
  todo: 'run drover sandbox check, and install bubblewrap if you use Linux',
})

export async function checkSandbox({ runtime, signal }: CheckContext): Promise<Finding[]> {
  const { problem } = await trySandbox(runtime, signal)
  return [
    problem === undefined
      ? sandboxEnforced({ detail: 'enforced by bubblewrap, tried just now' })
      : sandboxMissing({ detail: problem }),
  ]
}
