import { describe, expect, it } from 'vitest'
import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { runBusy, runNotFound, runstoreUnavailable } from '../../journal/faults.ts'
import { digest } from '../../kit/digest.ts'
import { workspaceIdentityMismatch } from '../../runs/faults.ts'
import { adviseOn, inspectRuns } from './run-advice.ts'

const place = { id: digest('a worktree'), root: '/home/ada/weather' }
const run = { place, runId: 'run-1' }
const expected: Next = {
  operation: 'start',
  workspace_identity: place.id,
  variants: [makeVariant('retry-run', { BUDGET: '8', ROOT: place.root })],
}
const details = {
  phase: 'lock_open',
  committed: false,
  projection_stale: false,
  namespace_detached: false,
  ambiguous: false,
}
const busy = runBusy({ run_id: 'run-1', waitMs: 5000, details })

const namesOf = ({ next }: { next: Next }) => [next.operation, ...next.variants.map(({ id }) => id)].join(' ')

describe('advice about a failure', () => {
  it('is what the failure itself says, before anything else', () => {
    const next = inspectRuns(place)
    const fault = workspaceIdentityMismatch({
      run_id: 'run-1',
      owner: '/elsewhere',
      next,
      details: { expected_workspace_identity: place.id },
    })
    expect(adviseOn(fault, { ...run, expected })).toEqual({
      next,
      details: { expected_workspace_identity: place.id },
    })
  })

  it.each([
    [
      'follows from its code, before what the command expects',
      runNotFound({ run_id: 'x' }),
      { ...run, expected },
      'command list-runs',
    ],
    [
      'does so without a run',
      runstoreUnavailable({ path: '/x', problem: 'y' }),
      { place, runId: undefined },
      'command run-doctor',
    ],
    ['is what the command expects', busy, { ...run, expected }, 'start retry-run'],
    ['is else to look at the run', busy, run, 'command inspect-run'],
    ['is to look at the run after a bug too', new TypeError('x'), run, 'command inspect-run'],
    ['is none where there is no run', new TypeError('x'), { place, runId: undefined }, 'none'],
  ])('%s', (_name, error, circumstances, names) => {
    expect(namesOf(adviseOn(error, circumstances))).toBe(names)
  })

  it('has the facts in the form of the message', () => {
    expect(adviseOn(busy, run).details).toEqual(details)
    expect(adviseOn(new TypeError('x'), run)).not.toHaveProperty('details')
  })
})
