/**
 * Drives a run through the engine as the program does, with a fixed clock, ids and worktree. Every result is checked:
 * messages and events against their schemas, and the run against the replay of its events.
 */

import { expect } from 'vitest'
import { gitObservation, workspaceIdentity } from '../../scripts/protocol-examples.ts'
import type { Action } from '../../src/contract/action.shape.ts'
import type { GitObservation } from '../../src/contract/git-observation.shape.ts'
import type { Outcome } from '../../src/contract/outcome.shape.ts'
import { checkOutcome } from '../../src/contract/outcome.ts'
import type { OutcomeForm } from '../../src/contract/outcome-form.shape.ts'
import type { ProtocolState } from '../../src/contract/protocol-state.shape.ts'
import type { LocalRun } from '../../src/contract/run-status.shape.ts'
import { checkRunStatus } from '../../src/contract/run-status.ts'
import { applyEvent } from '../../src/engine/apply-event.ts'
import { checkRunEvent } from '../../src/engine/check-event.ts'
import type { Decided, Decision, Facts, GitFacts } from '../../src/engine/decision.ts'
import { nextHint, type Refusal } from '../../src/engine/next-hint.ts'
import { answer } from '../../src/engine/operations/answer.ts'
import { parseSourceChoice } from '../../src/engine/operations/choose-source.ts'
import { type RequestedResume, resume } from '../../src/engine/operations/resume.ts'
import { skip, stop } from '../../src/engine/operations/skip-or-stop.ts'
import { type StartRequest, start } from '../../src/engine/operations/start.ts'
import { submit } from '../../src/engine/operations/submit.ts'
import type { Answer } from '../../src/engine/state/answer-digest.ts'
import type { ActionKind, Run } from '../../src/engine/state/run.ts'
import type { RunEvent } from '../../src/engine/state/run-event.shape.ts'
import { toProtocolState } from '../../src/engine/to-protocol-state.ts'
import { issuedBy, toRunStatus } from '../../src/engine/to-run-status.ts'
import { digest } from '../../src/kit/digest.ts'
import { readJson } from '../../src/kit/json/read-json.ts'
import { writeJson } from '../../src/kit/json/write-json.ts'
import type { JsonValue } from '../../src/kit/json-value.ts'
import { digestSource } from '../../src/source/revisions.ts'
import { thrownFault } from './thrown-fault.ts'

/** A worktree without changes. */
export const CLEAN: GitObservation = {
  ...gitObservation,
  path_count: 0,
  dirty_files: [],
  path_observations: [],
  snapshot_hash: digest('clean'),
}

/** A changed worktree; another `mark` gives another observation. */
export function changed(mark = 'changed'): GitObservation {
  return { ...gitObservation, snapshot_hash: digest(mark), status_fingerprint: digest(mark) }
}

export const GIT_UNAVAILABLE: GitFacts = { is: 'unavailable', problem: 'git\nfailed' }

/** The fields of an outcome that differ from the default. */
export type Report = { readonly [F in keyof Outcome]?: unknown }

const NOTHING = {
  observations: [],
  known_issues: [],
  suggested_actions: [],
  pause: null,
  implementation: null,
  review: null,
}

const WORK = { files_changed: ['src/wind.ts'], activities: [], uncertainties: [], attempts: 1 }

/** The default outcome of each kind. */
const DEFAULTS: Readonly<Record<ActionKind, Report>> = {
  orient: {},
  clarify: {},
  implement: { implementation: { ...WORK, result: 'applied' } },
  review: { review: { result: 'no_findings_reported', findings: [], uncertainties: [] } },
  summarize: {},
}

/** A valid outcome of the current action. */
export function outcomeOf(run: Run, report: Report = {}): Outcome {
  const { action_id, kind } = run.current_action ?? { action_id: 'none', kind: 'orient' }
  const reported = (report.action_kind ?? kind) as ActionKind
  return checkOutcome({
    contract_version: 2,
    action_id,
    action_kind: kind,
    status: 'completed',
    summary: `Done with ${kind}.`,
    ...NOTHING,
    ...(report.status === 'needs_input' ? {} : DEFAULTS[reported]),
    ...report,
  })
}

/** A valid outcome for an action. */
export function outcomeFor(action: Action | undefined, report: Report = {}): Outcome {
  return outcomeOf({ current_action: action } as Run, report)
}

/** A request whose choice is not parsed yet. */
export type Resume = Omit<RequestedResume, 'choice'> & { readonly choice?: string }

export type Driver = {
  readonly run: Run
  readonly events: readonly RunEvent[]
  /** Sets what git reports from now on. */
  setGit: (gitFacts: GitObservation | GitFacts) => void
  /** The id of the current action. */
  actionId: () => string
  submit: (report?: Report, actionId?: string) => ProtocolState
  submitOutcome: (outcome: OutcomeForm, actionId: string, payload?: string) => ProtocolState
  answer: (given: Partial<Answer>) => ProtocolState
  skip: (actionId?: string) => ProtocolState
  stop: () => ProtocolState
  resume: (request?: Resume) => ProtocolState
}

export type DriverOptions = Partial<StartRequest> & { git?: GitObservation }

export function driveRun({ git = CLEAN, ...request }: DriverOptions = {}): Driver {
  const started = start(
    {
      goal: 'Show the wind in knots',
      budget: 8,
      reviewEnabled: true,
      workspace_identity: workspaceIdentity,
      ...request,
    },
    { runId: 'run-1', git, ...factsOf(1) },
  )
  readAgain(undefined, started)
  return continueRun([started.event], started.run)
}

function factsOf(count: number): Facts {
  const now = new Date(Date.UTC(2026, 0, 31, 10, 0, count)).toISOString()
  return { now, actionId: `action-${count}` }
}

/** Continues a run after these events, the first of which started it. */
export function continueRun(earlier: readonly RunEvent[], begun = replayEvents(earlier) as Run): Driver {
  const events = [...earlier]
  let count = events.length
  let gitFacts: GitFacts = { is: 'observed', git: begun.current_git }
  const facts = (): Facts => {
    count++
    return factsOf(count)
  }
  let run = begun
  let read = begun

  const take = (decided: Decided): ProtocolState => {
    if (decided.is === 'unchanged') {
      expect(decided.run).toBe(run)
      return toProtocolState(run, decided.resumed)
    }
    run = decided.run
    events.push(decided.event)
    read = readAgain(read, decided)
    checkRunStatus(statusOf(driver))
    return toProtocolState(run)
  }
  /** Passes git facts only if the engine asks for them. */
  const withGitFacts = (operate: (facts: Facts) => Decision): ProtocolState => {
    const given = facts()
    const decision = operate(given)
    if (decision.is !== 'needs_git_facts') return take(decision)
    const again = operate({ ...given, gitFacts })
    if (again.is === 'needs_git_facts') throw new Error('the engine asks twice for git facts')
    return take(again)
  }
  const current = () => run.current_action?.action_id ?? 'none'
  const driver: Driver = {
    get run() {
      return run
    },
    events,
    setGit: (next) => {
      gitFacts = 'is' in next ? next : { is: 'observed', git: next }
    },
    actionId: current,
    submit: (report, id = current()) => driver.submitOutcome(outcomeOf(run, report), id),
    submitOutcome: (outcome, id, payload = JSON.stringify(outcome)) =>
      withGitFacts((given) => submit(run, { actionId: id, outcome, payloadSha256: digest(payload) }, given)),
    answer: (given) =>
      take(answer(run, { actionId: current(), text: '', confirmDestructive: false, ...given }, facts())),
    skip: (id = current()) => withGitFacts((given) => skip(run, id, given)),
    stop: () => take(stop(run, facts())),
    resume: ({ choice: word, ...asked } = {}) => {
      const choice = word === undefined ? {} : { choice: parseSourceChoice(word, { next: nextHint(run) }) }
      const decided = resume(run, { ...asked, ...choice }, { ...facts(), revisionOf: digestSource })
      const state = take(decided)
      return decided.is === 'changed' ? toProtocolState(run, run.last_resume_result) : state
    },
  }
  checkRunStatus(statusOf(driver))
  return driver
}

/** The status of a run. */
export function statusOf({ run, events }: Pick<Driver, 'run' | 'events'>): LocalRun {
  return toRunStatus(run, events.flatMap(issuedBy))
}

/** The run after these events, the first of which started it. */
export function replayEvents(events: readonly RunEvent[]): Run | undefined {
  return events.reduce<Run | undefined>(applyEvent, undefined)
}

/** Writes and reads an event, and expects the same run from it. */
function readAgain(before: Run | undefined, { run, event }: Decided & { is: 'changed' }): Run {
  const written = Buffer.from(writeJson(event as unknown as JsonValue))
  const read = applyEvent(before, checkRunEvent(readJson(written, { input: 'event', limitBytes: written.length })))
  expect(read).toEqual(run)
  return read
}

/** The code of the fault that an operation throws, or "done". */
export function codeOf(operate: () => unknown): string {
  return thrownFault(operate)?.code ?? 'done'
}

/** The details of the fault that an operation throws. */
export function refusalOf(operate: () => unknown): Refusal {
  const fault = thrownFault(operate)
  if (fault === undefined) throw new Error('the operation was not refused')
  return fault.details as Refusal
}
