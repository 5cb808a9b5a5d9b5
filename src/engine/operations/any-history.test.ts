import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyOperation, type Operation } from '../../../test/support/any-operation.ts'
import { type Driver, driveRun, replayEvents, statusOf } from '../../../test/support/drive-run.ts'
import { IS_FULL } from '../../../test/support/full-counts.ts'
import { pinned } from '../../../test/support/pinned-sources.ts'
import { checkAction } from '../../contract/action.ts'
import { checkCliError } from '../../contract/reports.ts'
import { decodeSnapshot, encodeSnapshot } from '../../journal/run-snapshot.ts'
import { digest } from '../../kit/digest.ts'
import { Fault } from '../../kit/fault.ts'
import { applyEvent } from '../apply-event.ts'
import type { Refusal } from '../next-hint.ts'
import type { ActionTrace, Run } from '../state/run.ts'
import type { RunEvent } from '../state/run-event.shape.ts'

const PAUSES = ['decision_required', 'destructive_confirmation_required', 'environment_unavailable', 'budget_exhausted']
const EVENTS = [
  'outcome_submitted',
  'answer_recorded',
  'action_skipped',
  'run_stopped',
  'run_resumed',
  'source_refreshed',
  'source_candidate_created',
  'source_refresh_skipped',
  'source_amended',
  'source_pinned',
]

const anyRun = fc
  .record({ budget: fc.constantFrom(1, 2, 4, 8), reviewEnabled: fc.boolean(), isBound: fc.boolean() })
  .map(({ isBound, ...options }) => ({ ...options, ...(isBound && { source: pinned }) }))

const anyHistory = fc.tuple(anyRun, fc.array(anyOperation, { minLength: 1, maxLength: 50, size: 'max' }))

/** What came of an operation: the code of its refusal, or of what it did. */
function tryOut(driver: Driver, { on, what }: Operation): string {
  const { run } = driver
  const { length } = driver.events
  try {
    on(driver)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    expect([driver.run, driver.events.length]).toEqual([run, length])
    checkRefusal(error)
    return error.code
  }
  if (driver.events.length === length) return `${what} unchanged`
  checkStep(run, driver)
  return driver.events.at(-1)?.type ?? ''
}

/** A refusal is all that an error message needs. */
function checkRefusal(fault: Fault): void {
  const { next, details } = fault.details as Refusal
  const { code, message } = fault
  checkCliError({ contract_version: 2, code, message, next, exit_code: 3, ...(details && { details }) })
}

function checkStep(before: Run, driver: Driver): void {
  const after = driver.run
  checkActions(before, after)
  checkState(after)
  checkDestruction(driver)
  checkSource(before, after)
  checkAnswers(before, after)
  checkKept(before, driver)
}

/** What is kept beside the journal is the same run, and what happens to it makes the same of it. */
function checkKept(before: Run, { run, events }: Driver): void {
  const stamp = { dev: 1n, ino: 2n, size: 3n, mtimeNs: 4n, ctimeNs: 5n }
  const [occasion, end] = [
    { version: '1.0.0', stamp },
    { sequence: events.length, chain: digest('the end') },
  ]
  const keep = (kept: Run) => decodeSnapshot(encodeSnapshot({ run: kept, end }, occasion), occasion)?.run
  expect(keep(run)).toStrictEqual(run)
  expect(applyEvent(keep(before), events.at(-1) as RunEvent)).toEqual(run)
}

function checkActions({ actions: before }: Run, { actions, current_action, id }: Run): void {
  expect(actions.length - before.length).toBeLessThanOrEqual(1)
  expect(actions.length).toBeGreaterThanOrEqual(before.length)
  expect(actions.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
  const [then, now] = [before.at(-1), actions[before.length - 1]]
  expect(now?.action).toEqual(then?.action)
  for (const mark of ['outcome', 'outcome_payload_sha256', 'voided', 'skipped', 'review_projection'] as const) {
    if (then?.[mark] !== undefined) expect(now?.[mark]).toEqual(then[mark])
  }
  expect(new Set(actions.map(({ action }) => action.action_id)).size).toBe(actions.length)
  const last = actions.at(-1) as ActionTrace
  if (current_action === undefined) return
  expect(checkAction(current_action).run_id).toBe(id)
  expect(current_action).toMatchObject(last.action)
  expect([last.voided, last.skipped]).toEqual([undefined, undefined])
  expect([undefined, 'needs_input']).toContain(last.outcome?.status)
}

function checkState(run: Run): void {
  const { state, pause_reason, current_action, pending_actions, remaining_budget } = run
  expect(pause_reason !== undefined).toBe(state === 'paused')
  if (state === 'active') expect(current_action).toBeDefined()
  if (state === 'stopped' || state === 'ended') expect(current_action).toBeUndefined()
  if (pause_reason === 'budget_exhausted') expect([current_action, remaining_budget]).toEqual([undefined, 0])
  expect(run.summary !== undefined).toBe(state === 'ended')
  if (pending_actions.length > 0) expect(current_action).toBeUndefined()
  if (run.review_pending) expect(run.review_enabled).toBe(true)
  expect(remaining_budget).toBeGreaterThanOrEqual(0)
  expect(Buffer.byteLength(run.summary ?? '')).toBeLessThanOrEqual(65_536)
}

function checkDestruction(driver: Driver): void {
  const status = statusOf(driver)
  const { pending_destructive_request: request, destructive_grant: grant, current_action, state, pause_reason } = status
  if (grant !== undefined) {
    expect(state).toBe('active')
    expect(current_action?.destructive_authorization).toEqual(grant)
    expect(grant).toMatchObject(request ?? { nothing: true })
  }
  if (state === 'active') expect(current_action?.destructive_authorization).toEqual(grant)
  const isAsked = pause_reason === 'destructive_confirmation_required'
  expect(request !== undefined).toBe(isAsked || grant !== undefined)
}

function checkSource(before: Run, after: Run): void {
  const { pinned_source, source_candidate, current_action } = after
  expect(pinned_source?.issue_id).toBe(before.pinned_source?.issue_id)
  if (source_candidate !== undefined) {
    expect(pinned_source).toEqual(before.pinned_source)
    expect(current_action).toBeUndefined()
  }
  if (after.state === 'active') {
    expect(current_action?.source?.source_revision).toBe(pinned_source?.source_revision)
  }
  const known = [after.pinned_source?.canonical_url, ...(after.pinned_source?.url_aliases ?? [])]
  expect(known).toEqual(expect.arrayContaining([...(before.pinned_source?.url_aliases ?? [])]))
  expect(after.source_choices.slice(0, before.source_choices.length)).toEqual(before.source_choices)
}

function checkAnswers({ answers: before }: Run, { answers }: Run): void {
  expect(answers.length - before.length).toBeLessThanOrEqual(1)
  for (const [index, { active, superseded_by: _by, ...kept }] of before.entries()) {
    expect(answers[index]).toMatchObject(kept)
    if (!active) expect(answers[index]?.active).toBe(false)
  }
  expect(new Set(answers.map(({ action_id }) => action_id)).size).toBe(answers.length)
  for (const { confirm_destructive, active, scope_sha256 } of answers) {
    expect(scope_sha256 !== undefined).toBe(confirm_destructive)
    if (confirm_destructive) expect(active).toBe(false)
  }
}

/** Lives through histories, and gives all that was seen in them. */
function live(parameters: fc.Parameters<[unknown, unknown]>): Set<string> {
  const seen = new Set<string>()
  const property = fc.property(anyHistory, ([options, operations]) => {
    const driver = driveRun(options)
    for (const operation of operations) {
      seen.add(tryOut(driver, operation))
      const { state, pause_reason, destructive_grant } = statusOf(driver)
      seen.add(pause_reason ?? state).add(destructive_grant === undefined ? 'no grant' : 'a grant')
    }
    expect(replayEvents(driver.events)).toEqual(driver.run)
  })
  fc.assert(property, parameters as object)
  return seen
}

describe('any sequence of operations', () => {
  it('leaves a valid run that its events reproduce', { timeout: 120_000 }, () => {
    live({ numRuns: 30 })
  })

  it.runIf(IS_FULL)('reaches every state and event, with a fixed seed', { timeout: 120_000 }, () => {
    const seen = live({ numRuns: 200, seed: 20_260_131 })
    expect([...seen]).toEqual(expect.arrayContaining(['a grant', 'active', 'stopped', 'ended', ...PAUSES, ...EVENTS]))
  })
})
