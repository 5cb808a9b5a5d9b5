/** What agents reported in a run, and what drover noted itself: apart, so that a claim never looks like an observation. Pure. */
import { ownNotes } from '../engine/texts/notes.ts'
import type { RunOutline } from './read-status.ts'

type ReportedParts = {
  readonly actions: readonly { readonly label: string; readonly summary: string }[]
  readonly observations: readonly string[]
  readonly known_issues: readonly string[]
  readonly uncertainties: readonly string[]
}

type Trace = RunOutline['actions'][number]

export function reportedIn({ actions }: RunOutline): ReportedParts {
  const outcomes = actions.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))
  return {
    actions: actions.flatMap(toEntry),
    observations: unique(outcomes.flatMap((each) => (each.action_kind === 'review' ? [] : each.observations))),
    known_issues: unique(outcomes.flatMap((each) => each.known_issues)),
    uncertainties: unique(
      outcomes.flatMap(({ implementation, review }) => (implementation ?? review)?.uncertainties ?? []),
    ),
  }
}

function toEntry({ action, outcome, skipped, voided }: Trace): ReportedParts['actions'] {
  const asked = outcome?.status === 'needs_input'
  const mark = skipped === true ? 'skipped' : asked ? 'asked' : voided === true ? 'withdrawn' : undefined
  if (outcome === undefined && mark === undefined) return []
  return [
    { label: mark === undefined ? action.kind : `${action.kind} (${mark})`, summary: outcome?.summary.trim() ?? '' },
  ]
}

/** The engine's notes begin with a token for programs. People get a sentence. */
const NOTE = /^([a-z]+(?:_[a-z]+)+): (.+)$/s
const WORDS: Readonly<Record<string, string>> = {
  attribution_uncertainty: 'Git shows that files changed since the start of the run, not who changed them.',
}

/** Changes are in the report already, and other observations of the engine are for programs. */
const NOTED_OBSERVATION = /^report_discrepancy: |^\.\.\.\[\d+ earlier observations /

export function notedIn(run: RunOutline): string[] {
  const own = [
    ...ownNotes(run, 'observations').filter((note) => NOTED_OBSERVATION.test(note)),
    ...ownNotes(run, 'known_issues'),
    ...ownNotes(run, 'uncertainties'),
  ]
  const before = run.initial_git?.path_count ?? 0
  return unique([
    ...(before === 0 ? [] : [`${before} ${before === 1 ? 'file was' : 'files were'} changed before the run started.`]),
    ...own.map(toSentence),
  ])
}

function toSentence(note: string): string {
  const [, token = '', text = note] = NOTE.exec(note) ?? []
  return WORDS[token] ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
