/** Arbitrary operations on a run, valid or not. */
import fc from 'fast-check'
import { nextHint } from '../../src/engine/next-hint.ts'
import type { ActionKind } from '../../src/engine/state/run.ts'
import { digest } from '../../src/kit/digest.ts'
import { decision, destruction, environment } from './contract-examples.ts'
import { CLEAN, changed, type Driver, GIT_UNAVAILABLE, outcomeOf } from './drive-run.ts'
import { amend, candidateOf, invalidOf, moved, pinned, withRevisions } from './pinned-sources.ts'

/** An operation and its name. */
export type Operation = { readonly what: string; readonly on: (driver: Driver) => unknown }

/** Mostly the current action. */
const whichAction = fc.constantFrom('current', 'current', 'current', 'current', 'first', 'last', 'none')

function actionIn({ run }: Driver, which: string): string {
  const ids = { first: run.actions[0], last: run.actions.at(-1) }
  if (which === 'first' || which === 'last') return ids[which]?.action.action_id ?? ''
  return which === 'none' ? 'no-such-action' : (run.current_action?.action_id ?? 'no-action')
}

const WORK = { files_changed: ['a'], activities: [], attempts: 1 }
const QUIET = { findings: [], uncertainties: [] }

/** Possible outcomes of each kind of action. */
const REPORTS: Readonly<Record<ActionKind, readonly object[]>> = {
  orient: [{}, { status: 'partial' }, { status: 'error' }],
  clarify: [{}, { status: 'error' }],
  implement: [
    {},
    { implementation: { ...WORK, uncertainties: ['Hm.'], result: 'not_needed' } },
    { status: 'partial', implementation: { ...WORK, uncertainties: [], result: 'partial' } },
    { status: 'error', implementation: { ...WORK, uncertainties: [], result: 'unable' } },
    { status: 'needs_input', pause: destruction },
    { status: 'needs_input', pause: destruction },
  ],
  review: [{}, { status: 'partial', review: { ...QUIET, result: 'inconclusive' } }],
  summarize: [{}, { status: 'error' }],
}
const WAITS = [
  { status: 'needs_input', pause: decision },
  { status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'action-1' } },
  { status: 'needs_input', pause: environment },
]

const submitting: fc.Arbitrary<Operation> = fc
  .record({
    which: whichAction,
    report: fc.nat(),
    suggestion: fc.option(fc.constantFrom('clarify' as const, 'implement' as const, 'summarize' as const)),
    isOfAnotherKind: fc.nat(20).map((n) => n === 0),
    isRepeated: fc.nat(5).map((n) => n === 0),
    notes: fc.array(fc.constantFrom('A.', 'B.', ''), { maxLength: 2 }),
  })
  .map(({ which, report, suggestion, isOfAnotherKind, isRepeated, notes }) => ({
    what: 'submit',
    on: (driver) => {
      const id = actionIn(driver, which)
      const earlier = driver.run.actions.find(({ action }) => action.action_id === id)?.outcome
      if (isRepeated && earlier !== undefined) return driver.submitOutcome(earlier, id)
      const kind = driver.run.current_action?.kind ?? 'orient'
      const reports = [...REPORTS[kind], ...(kind === 'review' || kind === 'summarize' ? [] : WAITS)]
      const chosen = reports[report % reports.length] as { status?: string }
      const takesSuggestion = (kind === 'orient' || kind === 'clarify') && chosen.status !== 'needs_input'
      const suggested = suggestion !== null && takesSuggestion ? [{ kind: suggestion, brief: 'Continue.' }] : []
      const lists = { suggested_actions: suggested, observations: notes, known_issues: notes }
      const said = isOfAnotherKind ? { action_kind: 'summarize' } : { ...chosen, action_kind: kind, ...lists }
      return driver.submitOutcome(outcomeOf(driver.run, said), id)
    },
  }))

const SCOPES = [undefined, destruction.destructive_request.scope_sha256, digest('other'), 'all of it']

const answering: fc.Arbitrary<Operation> = fc
  .record({
    which: whichAction,
    text: fc.constantFrom('', 'Yes.', 'No.', 'Yes.', '\u0000'),
    confirmDestructive: fc.boolean(),
    scope: fc.constantFrom(...SCOPES, SCOPES[1]),
  })
  .map(({ which, text, confirmDestructive, scope }) => ({
    what: 'answer',
    on: (driver) => {
      const scopeSha256 = scope === undefined ? {} : { scopeSha256: scope }
      return driver.answer({ actionId: actionIn(driver, which), text, confirmDestructive, ...scopeSha256 })
    },
  }))

/** Possible candidates of a refresh. */
const FOUND = [
  ({ run }: Driver, id: string) => candidateOf(bare(run.pinned_source ?? pinned), id),
  ({ run }: Driver, id: string) =>
    candidateOf(amend(bare(run.pinned_source ?? pinned), `Text ${id}.\n`, commentOf(id)), id),
  ({ run }: Driver, id: string) => candidateOf(moved(bare(run.pinned_source ?? pinned), `weather-${id}`), id),
  (_: Driver, id: string) => candidateOf(pinned, id),
  (_: Driver, id: string) => invalidOf(id),
  (_: Driver, id: string) => candidateOf(withRevisions({ ...pinned, issue_id: 'I_other' }), id),
  (_: Driver, id: string) => candidateOf(amend(pinned, 'Edited.\n', 1901), id),
]

/** The source without aliases, as a fetch returns it. */
function bare(source: typeof pinned): typeof pinned {
  const repository = source.canonical_url.split('/')[4] ?? ''
  return moved(source, repository)
}

function commentOf(id: string): number {
  return 3000 + Number(id.replace(/\D/g, ''))
}

const resuming: fc.Arbitrary<Operation> = fc
  .record({
    budget: fc.constantFrom(undefined, undefined, 1, 3, 0, 1001),
    mode: fc.constantFrom('none', 'refresh', 'refresh', 'pinned', 'both', 'choice', 'choice', 'choice'),
    found: fc.nat(FOUND.length - 1),
    choice: fc.constantFrom('pinned', 'adopt', 'adopt', 'neither'),
    candidate: fc.constantFrom('current', 'current', 'current', 'earlier', 'other', 'none'),
  })
  .map(({ budget, mode, found, choice, candidate }) => ({
    what: 'resume',
    on: (driver) => {
      const { source_candidate, source_choices } = driver.run
      const refreshed = FOUND[found]?.(driver, `candidate-${driver.events.length}`)
      const ids = {
        current: source_candidate?.candidate_id,
        earlier: source_choices[0]?.candidate_id,
        other: 'no-such-candidate',
        none: undefined,
      }
      const candidateId = ids[candidate]
      return driver.resume({
        ...(budget !== undefined && { budget }),
        ...((mode === 'refresh' || mode === 'both') && refreshed !== undefined && { refreshed }),
        ...((mode === 'pinned' || mode === 'both') && { usePinnedSource: true }),
        ...(mode === 'choice' && { choice, ...(candidateId !== undefined && { candidateId }) }),
      })
    },
  }))

/** Follows each variant of `next`; `pick` makes the choices. */
const FOLLOWED: Readonly<Record<string, (driver: Driver, pick: number) => unknown>> = {
  'submit-outcome-file': (driver, pick) => submitReport(driver, pick),
  'submit-outcome-stdin': (driver, pick) => submitReport(driver, pick),
  'skip-action': (driver) => driver.skip(),
  'answer-decision': (driver, pick) => driver.answer({ text: `Decision ${pick}.` }),
  'confirm-destructive': (driver) => driver.answer({ confirmDestructive: true, scopeSha256: SCOPES[1] ?? '' }),
  'decline-or-feedback': (driver) => driver.answer({ text: 'No.' }),
  'resume-ad-hoc': (driver) => driver.resume(),
  'refresh-source': (driver, pick) => refresh(driver, pick % 3),
  'use-pinned-source': (driver) => driver.resume({ usePinnedSource: true }),
  'keep-pinned': (driver) => driver.resume({ choice: 'pinned', ...candidateIn(driver) }),
  adopt: (driver) => driver.resume({ choice: 'adopt', ...candidateIn(driver) }),
}

function submitReport(driver: Driver, pick: number): unknown {
  const kind = driver.run.current_action?.kind ?? 'orient'
  const canWait = kind !== 'review' && kind !== 'summarize'
  const reports = [...REPORTS[kind], ...(canWait ? WAITS.slice(0, 1) : [])]
  const report = reports[pick % reports.length] as { status?: string }
  const canSuggest = (kind === 'orient' || kind === 'clarify') && report.status !== 'needs_input'
  const suggested_actions = canSuggest ? [{ kind: 'implement', brief: 'Continue.' }] : []
  return driver.submit({ action_kind: kind, ...report, suggested_actions })
}

function refresh(driver: Driver, found: number): unknown {
  const refreshed = FOUND[found]?.(driver, `candidate-${driver.events.length}`)
  return driver.resume(refreshed === undefined ? {} : { refreshed })
}

function candidateIn({ run }: Driver): { candidateId: string } {
  return { candidateId: run.source_candidate?.candidate_id ?? '' }
}

const following: fc.Arbitrary<Operation> = fc.tuple(fc.nat(), fc.nat()).map(([variant, pick]) => ({
  what: 'follow',
  on: (driver) => {
    const { variants } = nextHint(driver.run)
    // A run that ends early tests little, so most summaries are preceded by a stop.
    if (driver.run.current_action?.kind === 'summarize' && pick % 4 > 0) return driver.stop()
    const chosen = variants[variant % Math.max(variants.length, 1)]
    return chosen === undefined ? driver.stop() : FOLLOWED[chosen.id]?.(driver, pick)
  },
}))

const WORKTREES = [
  CLEAN,
  CLEAN,
  changed('a'),
  changed('b'),
  { ...changed('c'), content_observation_complete: false },
  GIT_UNAVAILABLE,
]

const looking: fc.Arbitrary<Operation> = fc
  .constantFrom(...WORKTREES)
  .map((gitFacts) => ({ what: 'set git', on: (driver) => driver.setGit(gitFacts) }))

const skipping: fc.Arbitrary<Operation> = whichAction.map((which) => ({
  what: 'skip',
  on: (driver) => driver.skip(actionIn(driver, which)),
}))

const stopping: fc.Arbitrary<Operation> = fc.constant({ what: 'stop', on: (driver) => driver.stop() })

export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 14, arbitrary: following },
  { weight: 8, arbitrary: submitting },
  { weight: 4, arbitrary: answering },
  { weight: 6, arbitrary: resuming },
  { weight: 3, arbitrary: looking },
  { weight: 1, arbitrary: skipping },
  { weight: 2, arbitrary: stopping },
)
