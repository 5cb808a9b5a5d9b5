import { describe, expect, it } from 'vitest'
import { workspaceIdentity } from '../../scripts/protocol-examples.ts'
import { destructiveRequest } from '../../test/support/contract-examples.ts'
import type { Driver, DriverOptions } from '../../test/support/drive-run.ts'
import { commandsWith } from '../../test/support/next-commands.ts'
import { pinned } from '../../test/support/pinned-sources.ts'
import {
  atWork,
  ended,
  gitUnavailable,
  lackingEnvironment,
  outOfBudget,
  stopped,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
  waitingWithInvalid,
} from '../../test/support/run-states.ts'
import { checkNext } from '../contract/next.ts'
import { nextHint, resumeHint, startHint } from './next-hint.ts'
import type { Run } from './state/run.ts'

const stoppedWithChoice = (): Driver => {
  const driver = waitingForChoice()
  driver.stop()
  return driver
}
const bound = (make: (options: DriverOptions) => Driver) => () => make({ source: pinned })
const waysOn = ['refresh-source', 'use-pinned-source']

/** The variants of an operation as they stand in the protocol, for this run. */
function commandsFor({ id, workspace_identity, current_action, source_candidate }: Run, ids: readonly string[]) {
  const rows = commandsWith({
    RUN: id,
    ACTION: current_action?.action_id ?? '',
    ROOT: workspace_identity.worktree_root,
    CANDIDATE: source_candidate?.candidate_id ?? '',
    BUDGET: '',
    DIGEST: destructiveRequest.scope_sha256,
  })
  return ids.map((each) => {
    const row = rows.find((command) => command.id === each)
    return { id: each, base_argv: row?.argv, inputs: row?.inputs }
  })
}

/** The conditions in the order in which they are asked. */
const CONDITIONS: readonly (readonly [string, () => Driver, string, readonly string[]])[] = [
  ['has ended', ended, 'none', []],
  ['waits for a choice', waitingForChoice, 'resume', ['keep-pinned', 'adopt']],
  ['waits for a choice that is none', waitingWithInvalid, 'resume', ['keep-pinned']],
  ['waits for a choice and is stopped', stoppedWithChoice, 'resume', ['keep-pinned', 'adopt']],
  ['is active', atWork, 'action', ['submit-outcome-file', 'submit-outcome-stdin', 'skip-action']],
  ['waits for a decision', waitingForDecision, 'answer', ['answer-decision', 'skip-action']],
  [
    'waits for a confirmation',
    waitingForConfirmation,
    'answer',
    ['confirm-destructive', 'decline-or-feedback', 'skip-action'],
  ],
  ['lacks its environment, ad hoc', lackingEnvironment, 'resume', ['resume-ad-hoc', 'skip-action']],
  ['lacks its environment, bound', bound(lackingEnvironment), 'resume', [...waysOn, 'skip-action']],
  ['is stopped, ad hoc', stopped, 'resume', ['resume-ad-hoc']],
  ['has no budget, ad hoc', outOfBudget, 'resume', ['resume-ad-hoc']],
  ['was not seen, ad hoc', gitUnavailable, 'resume', ['resume-ad-hoc']],
  ['is stopped, bound', bound(stopped), 'resume', waysOn],
  ['has no budget, bound', bound(outOfBudget), 'resume', waysOn],
  ['was not seen, bound', bound(gitUnavailable), 'resume', waysOn],
]

describe('the next hint of a run', () => {
  it.each(CONDITIONS)('that %s', (_what, make, operation, ids) => {
    const { run } = make()
    const next = checkNext(nextHint(run))
    expect(next).toEqual({ operation, workspace_identity: workspaceIdentity.id, variants: commandsFor(run, ids) })
  })
})

describe('the resume hint of a run', () => {
  it.each<[string, () => Driver, readonly string[]]>([
    ['has ended', ended, []],
    ['waits for a choice', waitingForChoice, ['keep-pinned', 'adopt']],
    ['is active, ad hoc', atWork, ['submit-outcome-file', 'submit-outcome-stdin', 'skip-action']],
    ['waits for a decision', bound(waitingForDecision), ['answer-decision', 'skip-action']],
    ['lacks its environment', bound(lackingEnvironment), waysOn],
    ['is stopped', bound(stopped), waysOn],
  ])('that %s', (_what, make, ids) => {
    const { run } = make()
    expect(resumeHint(run).variants).toEqual(commandsFor(run, ids))
  })
})

describe('the start hint', () => {
  it.each([
    ['for a goal', { reviewEnabled: true, hasSource: false }, 'retry-run'],
    ['for a goal, without a review', { reviewEnabled: false, hasSource: false }, 'retry-run'],
    ['for an issue', { reviewEnabled: true, hasSource: true }, 'start-with-source'],
    ['for an issue, without a review', { reviewEnabled: false, hasSource: true }, 'start-with-source'],
  ])('%s', (_what, options, id) => {
    const ROOT = workspaceIdentity.worktree_root
    const rows = commandsWith({ RUN: '', ACTION: '', ROOT, CANDIDATE: '', BUDGET: '8', DIGEST: '' })
    const row = rows.find((each) => each.id === id && each.options.includes('--no-review') !== options.reviewEnabled)
    expect(checkNext(startHint({ workspace_identity: workspaceIdentity, budget: 8, ...options }))).toEqual({
      operation: 'start',
      workspace_identity: workspaceIdentity.id,
      variants: [{ id, base_argv: row?.argv, inputs: row?.inputs }],
    })
  })
})
