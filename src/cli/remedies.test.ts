import { describe, expect, it } from 'vitest'
import { gatherFaults } from '../../scripts/fault-catalogue.ts'
import type { Next } from '../contract/next.shape.ts'
import { makeVariant } from '../contract/next-variants.ts'
import { runBusy, runNotFound, runstoreUnavailable } from '../journal/faults.ts'
import { digest } from '../kit/digest.ts'
import { workspaceIdentityMismatch } from '../runs/faults.ts'
import { offer, type Remedy, remedyFor, VARIANT_BY_CODE } from './remedies.ts'

const workspace = { id: digest('a worktree'), root: '/home/ada/weather' }
const run = { workspace, runId: 'run-1' }
const suggested: Next = {
  operation: 'start',
  workspace_identity: workspace.id,
  variants: [makeVariant('retry-run', { BUDGET: '8', ROOT: workspace.root })],
}
const details = {
  phase: 'lock_open',
  committed: false,
  projection_stale: false,
  namespace_detached: false,
  ambiguous: false,
}
const busy = runBusy({ run_id: 'run-1', waitMs: 5000, details })

const namesOf = ({ next }: Remedy) => [next?.operation, ...(next?.variants ?? []).map(({ id }) => id)].join(' ')

describe('remedyFor', () => {
  it('prefers the remedy that the fault carries', () => {
    const next = offer('inspect-runs', workspace)
    const fault = workspaceIdentityMismatch({
      run_id: 'run-1',
      owner: '/elsewhere',
      isGone: false,
      next,
      details: { expected_workspace_identity: workspace.id },
    })
    expect(remedyFor(fault, { ...run, suggested })).toEqual({
      next,
      details: { expected_workspace_identity: workspace.id },
    })
  })

  it.each([
    [
      'prefers the table to the suggestion of the command',
      runNotFound({ run_id: 'x' }),
      { ...run, suggested },
      'command list-runs',
    ],
    [
      'uses the table without a run',
      runstoreUnavailable({ path: '/x', problem: 'y' }),
      { workspace, runId: undefined },
      'command run-doctor',
    ],
    ['falls back to the suggestion of the command', busy, { ...run, suggested }, 'start retry-run'],
    ['falls back to inspecting the run', busy, run, 'command inspect-run'],
    ['offers to inspect the run after a bug', new TypeError('x'), run, 'command inspect-run'],
    ['offers nothing for a bug without a run', new TypeError('x'), { workspace, runId: undefined }, 'none'],
  ])('%s', (_name, error, situation, names) => {
    expect(namesOf(remedyFor(error, situation))).toBe(names)
  })

  it('passes the details of the fault on', () => {
    expect(remedyFor(busy, run).details).toEqual(details)
    expect(remedyFor(new TypeError('x'), run)).not.toHaveProperty('details')
  })
})

describe('the table of remedies', () => {
  it('lists codes of faults only', async () => {
    const codes = (await gatherFaults()).flatMap(({ faults }) => faults.map(({ code }) => code))
    expect(Object.keys(VARIANT_BY_CODE).filter((code) => !codes.includes(code))).toEqual([])
  })

  it.each(Object.entries(VARIANT_BY_CODE))('offers for %s the variant %s, which exists', (_code, variant) => {
    const values = variant === 'inspect-run' ? { RUN: 'run-1' } : {}
    expect(offer(variant, workspace, values).variants.map(({ id }) => id)).toEqual(variant === 'none' ? [] : [variant])
  })
})
