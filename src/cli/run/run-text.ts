/** A run as plain lines, one fact each, for pipes and for a change that was made. Pure. */
import type { PinnedMaterial } from '../../contract/material.shape.ts'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import type { LocalRun } from '../../contract/run-status.shape.ts'
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { pendingQuestion, type RunOutline } from '../../runs/read-status.ts'
import { formatNextBlock, formatPeopleBlock } from '../failures/next-text.ts'
import { formatAge } from '../output/format-amounts.ts'
import { toOneLine, toPrintable } from '../output/printable.ts'
import { followUpOfVerdict } from '../output/what-follows.ts'
import { destroyTitle, formatWaiting } from './run-waits.ts'

export type Fact = readonly [name: string, value: string | undefined]

const LINE_COLUMNS = 200

/** The state of a run, what it waits for, and the commands that can follow, one fact per line. */
export function formatRun(run: RunOutline, now: Date, verdict?: RunVerdict): string {
  if (verdict !== undefined) return toText([...toLines(runFacts(run, now, verdict)), ...nextOfVerdict(verdict)])
  const report = run.summary === undefined ? [] : ['', toPrintable(run.summary).trimEnd(), '']
  return toText([...toLines(runFacts(run, now)), ...report, ...formatPeopleBlock(run.next)])
}

function nextOfVerdict(verdict: RunVerdict): string[] {
  const { line, says } = followUpOfVerdict(verdict)
  return ['Next:', `  ${says}`, `    ${line}`]
}

function runFacts(run: RunOutline, now: Date, verdict?: RunVerdict): Fact[] {
  const { pinned_source: source, source_candidate: candidate, pause_reason } = run
  return [
    ['Run', run.id],
    ['State', verdict?.line ?? `${run.state}${formatWaiting(run)}`],
    ...(verdict?.look_first ?? []).map((each): Fact => ['Look first', each]),
    ['Goal', toOneLine(run.goal, LINE_COLUMNS)],
    ['Actions remaining', run.state === 'ended' ? undefined : formatActionsLeft(run)],
    ['Started', `${run.created_at} (${formatAge(run.created_at, now)})`],
    ['Updated', `${run.updated_at} (${formatAge(run.updated_at, now)})`],
    ['Pinned source', source && `${source.canonical_url} (${source.issue_id})`],
    ['Source revision', source?.source_revision],
    ['Requirements revision', source?.requirements_revision],
    ['Sections', source?.sections.map(({ key }) => key).join(', ')],
    ['Pause reason', pause_reason],
    ...questionFacts(run),
    ...destructiveFacts(run),
    ['Current source candidate', candidate && formatCandidate(candidate)],
    ['Candidate classification', candidate?.classification_error],
    ['Candidate sections', source && candidate && formatSectionChanges(source, candidate)],
    ['Current action', run.current_action && formatAction(run.current_action)],
  ]
}

function questionFacts(run: RunOutline): Fact[] {
  const question = pendingQuestion(run)
  if (question === undefined) return []
  const [short, whole] = [toOneLine(question, LINE_COLUMNS), toOneLine(question, Number.POSITIVE_INFINITY)]
  return [
    ['Pending question', short],
    ['The whole question', short === whole ? undefined : whole],
  ]
}

/** Never shortened: the user must see all of what a confirmation permits. */
function destructiveFacts(run: RunOutline): Fact[] {
  const request = run.pending_destructive_request
  if (request === undefined) return []
  const toWhole = (text: string) => toOneLine(text, Number.POSITIVE_INFINITY)
  return [
    ...request.targets.map(({ kind, value }): Fact => [destroyTitle(run), `${kind} ${toWhole(value)}`]),
    ['Impact', toWhole(request.impact)],
  ]
}

export function formatStarted(
  { run_id, state, action, next }: ProtocolState,
  { goal, budget }: { goal: string; budget: number },
): string {
  const facts: Fact[] = [
    ['State', state],
    ['Goal', toOneLine(goal, LINE_COLUMNS)],
    [
      'Actions remaining',
      action && formatActionsLeft({ remaining_budget: action.remaining_budget, initial_budget: budget }),
    ],
    ['Current action', action && formatAction(action)],
  ]
  return toText([`Run ${run_id} started`, ...toLines(facts), ...formatNextBlock(next)])
}

/** `verdict` is that of a driven run, whose driver continues it. */
export function formatStopped({ run_id, next, pinned_source }: ProtocolState, verdict?: RunVerdict): string {
  const message = `Run ${run_id} is stopped. Its work so far is kept, and it can be resumed.`
  const following = verdict === undefined ? formatNextBlock(next, { source: pinned_source }) : nextOfVerdict(verdict)
  return toText([message, ...following])
}

/** One line per change, for `--watch` without a terminal. */
export function formatUpdate(run: RunOutline, verdict?: RunVerdict): string {
  return `${run.updated_at}  ${verdict?.line ?? `${run.state}${formatWaiting(run)}`}  (${formatActionsLeft(run)} actions left)\n`
}

export function formatSection({ run_id, run_state, section, requirements_revision }: PinnedMaterial): string {
  const { key, role, title, section_revision, markdown } = section
  return toText([
    `Section ${JSON.stringify(key)} (${role}) of run ${run_id}, which is ${run_state}.`,
    `Section revision: ${section_revision}`,
    `Requirements revision: ${requirements_revision}`,
    'This is the pinned text. Reading it does not permit anyone to work on it.',
    '',
    `# ${toPrintable(title)}`,
    '',
    toPrintable(markdown).replace(/\n$/, ''),
  ])
}

function formatAction({ kind, action_id }: { kind: string; action_id: string }): string {
  return `${kind} (${action_id})`
}

/** A resume can give a run more actions than it started with. */
export function formatActionsLeft(run: Pick<RunOutline, 'remaining_budget' | 'initial_budget'>): string {
  const { remaining_budget: left, initial_budget: initial } = run
  return left > initial ? String(left) : `${left} of ${initial}`
}

export type Candidate = NonNullable<LocalRun['source_candidate']>

type Source = NonNullable<LocalRun['pinned_source']>

function formatCandidate({ candidate_id, classification, classification_code }: Candidate): string {
  return `${candidate_id} (${classification}, ${classification_code})`
}

/** The sections that adopting the candidate would change, add or remove; undefined if there are none. */
export function formatSectionChanges(pinned: Source, { snapshot }: Candidate): string | undefined {
  if (snapshot === undefined) return undefined
  const [before, after] = [listRevisions(pinned), listRevisions(snapshot)]
  const inBoth = [...after.keys()].filter((key) => before.has(key))
  const changes = {
    changed: inBoth.filter((key) => before.get(key) !== after.get(key)),
    new: [...after.keys()].filter((key) => !before.has(key)),
    removed: [...before.keys()].filter((key) => !after.has(key)),
  }
  const parts = Object.entries(changes).flatMap(([change, keys]) =>
    keys.length === 0 ? [] : [`${change}: ${keys.join(', ')}`],
  )
  return parts.length === 0 ? undefined : parts.join('; ')
}

function listRevisions({ sections }: Source): Map<string, string> {
  return new Map(sections.map(({ key, section_revision }) => [key, section_revision]))
}

function toLines(facts: readonly Fact[]): string[] {
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${toPrintable(value)}`]))
}

export function toText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
