/** What a driver did before the first attempt, and what checks and evidence say about an attempt, as text. Pure. */
import { placeOf } from '../../drive/decide/agent-permissions.ts'
import { testChanges } from '../../drive/decide/check-results.ts'
import { describeInside } from '../../drive/evidence/summarize-boundary.ts'
import { howItEnded } from '../../drive/prompt/follow-ups.ts'
import type { EventOf, ReviewFlag } from '../../drive/record/drive-event.shape.ts'
import type { DeliveryCheck, DriveState } from '../../drive/record/drive-state.ts'
import { isSerious } from '../../drive/record/review-flags.ts'
import type { TestChange } from '../../drive/record/test-results.shape.ts'
import { claimText } from '../../drive/report-run.ts'
import { listSome } from '../../kit/wording.ts'
import { describeStep } from '../../workspace/prepare/prepare-worktree.ts'
import { formatDuration } from './format-amounts.ts'
import { toPrintable } from './printable.ts'
import { lastLines, oneLine, type StyledLine } from './text-table.ts'

export function failureOf({ passed, output }: { passed: boolean; output: string }): StyledLine[] {
  return passed ? [] : lastLines(output)
}

type CheckRun = EventOf<'check_ran'>['data']

export function describeCheck(check: CheckRun, indent: string, { baseline, attempts }: DriveState): StyledLine[] {
  const text = `${indent}check ${oneLine(check.command)} ${howItEnded(check)}`
  const earlier = attempts.filter(({ attempt }) => attempt < check.attempt).flatMap(({ checks }) => checks)
  const told = new Set([...baseline, ...earlier].flatMap(({ put_back: paths = [] }) => paths.map(folderOrFile)))
  const paths = (check.put_back ?? []).filter((path) => !told.has(folderOrFile(path)))
  return [
    { text, tone: check.passed ? 'good' : 'bad' },
    ...(paths.length === 0 ? [] : [toNote(`the check writes ${listSome(paths, PATHS_SHOWN)}: add it to .gitignore`)]),
    ...describeTests(testChanges(check, baseline), `${indent}  `),
  ]
}

function folderOrFile(path: string): string {
  return path.replace(/[^/]*$/, '') || path
}

/** What became of tests, one line for each kind of change. */
export function describeTests(changes: readonly TestChange[], indent: string): StyledLine[] {
  return changes.map(({ text, is_setback: isSetback }) => {
    return { text: `${indent}${toPrintable(text)}`, tone: isSetback ? 'bad' : 'dim' }
  })
}

const VERDICT_TONES = { observed: 'good', claimed: 'open', contradicted: 'bad' } as const

export function describeEvidence({ claims, flags }: EventOf<'evidence'>['data'], indent: string): StyledLine[] {
  const countOf = (wanted: string) => claims.filter(({ verdict }) => verdict === wanted).length
  const counts = ['observed', 'claimed', 'contradicted'].map((verdict) => `${countOf(verdict)} ${verdict}`)
  return [
    `${indent}evidence: ${counts.join(', ')}`,
    ...claims
      .filter(({ verdict }) => verdict !== 'observed')
      .map((claim): StyledLine => {
        const text = oneLine(`${claimText(claim)}: ${claim.verdict}, ${claim.note}`)
        return { text: `${indent}  ${text}`, tone: VERDICT_TONES[claim.verdict] }
      }),
    ...describeFlags(flags, indent),
  ]
}

export function describeFlags(flags: readonly ReviewFlag[], indent: string): StyledLine[] {
  return flags.map((each) => {
    const text = `${indent}  look at: ${each.flag.replaceAll('_', ' ')}: ${oneLine(each.detail)}`
    return { text, tone: isSerious(each) ? 'bad' : 'open' }
  })
}

export function describeDeliveryCheck(checked: DeliveryCheck, { baseline }: DriveState): StyledLine[] {
  const { result, reason, setup_failed: setup, checks } = checked
  if (result === 'skipped') return [{ text: `  no clean checkout: ${oneLine(reason ?? '')}`, tone: 'dim' }]
  const ran = [
    ...(setup === undefined ? [] : [{ ...setup, named: `setup ${setup.command}`, passed: false }]),
    ...checks.map((check) => ({ ...check, named: `check ${check.command}` })),
  ]
  return ran.flatMap(({ named, passed, output, ...run }): StyledLine[] => [
    { text: `  in a clean checkout: ${oneLine(named)} ${howItEnded(run)}`, tone: passed ? 'good' : 'bad' },
    // What passes there has the same tests as in the worktree, which are shown already.
    ...(passed ? [] : [...describeTests(testChanges(run, baseline), '    '), ...lastLines(output)]),
  ])
}

const USERS: Readonly<Record<EventOf<'boundary_seen'>['data']['by'], string>> = {
  agent: 'the agent',
  setup: 'the setup',
  baseline: 'the check',
  check: 'the check',
  clean_checkout: 'the check in the clean checkout',
}

/** The boundary of a driven run, as text. The one line that says which mode a run is driven in, and why. */
export function describeBoundary(boundary: EventOf<'boundary_set'>['data'], state: DriveState): StyledLine[] {
  if (boundary.is === 'inside') return [`In a sandbox: ${toPrintable(describeInside(boundary))}`]
  const { approval } = placeOf(state.options.backend, state)
  const why = toPrintable(boundary.why ?? '')
  return [{ text: `Without a sandbox (--approval ${approval}): ${why}`, tone: 'open', keepsPaths: true }]
}

/** What was reached is in the report. */
export function describeRefused({
  by,
  refused,
  unwritable,
  exceeded = [],
}: EventOf<'boundary_seen'>['data']): StyledLine[] {
  const lines = [
    ...refused.map(({ host, reason }) => `refused ${USERS[by]} a connection to ${host}: ${reason}`),
    ...exceeded.map((limit) => `stopped ${USERS[by]}: ${limit}`),
    ...unwritable.map((path) => `did not let ${USERS[by]} write ${path}`),
  ]
  return lines.map((line) => ({ text: `  the sandbox ${oneLine(line)}`, tone: 'open' }))
}

/** What a driver did before the first attempt, as text. Pure. */
const PATHS_SHOWN = 5

type BeforeWorkEvent = EventOf<'preparing'> | EventOf<'setup_failed'> | EventOf<'prepared'> | EventOf<'baseline_ran'>

export function describeBeforeWork(
  { type, data }: BeforeWorkEvent,
  { round }: Pick<DriveState, 'round'>,
): StyledLine[] {
  switch (type) {
    case 'preparing':
      return [{ text: `  ${describePreparing(data)}`, tone: 'dim' }]
    case 'setup_failed':
      return describeSetup(data)
    case 'prepared':
      return describePrepared(data)
    case 'baseline_ran':
      // A later round repeats what the first one saw.
      return round > 1 ? [] : describeBaseline(data)
  }
}

function describePreparing({ step, command = '' }: EventOf<'preparing'>['data']): string {
  return oneLine(describeStep(step === 'setup' ? { is: step, command } : { is: step }))
}

/** A copy that failed is described by the pause that follows. */
function describeSetup({ command, output, ...ended }: EventOf<'setup_failed'>['data']): StyledLine[] {
  if (command === undefined) return []
  return [{ text: `  setup ${oneLine(command)} ${howItEnded(ended)}`, tone: 'bad' }, ...lastLines(output)]
}

function describePrepared({ from, notes, duration_ms }: EventOf<'prepared'>['data']): StyledLine[] {
  const time = formatDuration(duration_ms)
  return [
    ...(from === 'nothing' ? [] : [{ text: `  the worktree is ready (${time})`, tone: 'dim' } as const]),
    ...notes.map((note) => toNote(note)),
  ]
}

function describeBaseline(run: EventOf<'baseline_ran'>['data']): StyledLine[] {
  const { command, put_back: paths = [], ...ended } = run
  const text = `  before the work: check ${oneLine(command)} ${howItEnded(ended)}`
  const note = `the check writes ${listSome(paths, PATHS_SHOWN)}, which is put back: add what it creates to .gitignore`
  const notes = paths.length === 0 ? [] : [toNote(note)]
  return [{ text, tone: ended.passed ? 'good' : 'bad' }, ...failureOf(run), ...notes]
}

/** What keeps the first attempt from beginning, with what it printed. */
export function describeFailedBeforeWork(state: DriveState): StyledLine[] {
  const { attempts, round, setup_failed: setup, baseline } = state
  if (attempts.length > 0 || round > 1) return []
  const failed = baseline.filter(({ passed }) => !passed)
  return [...(setup === undefined ? [] : describeSetup(setup)), ...failed.flatMap(describeBaseline)]
}

function toNote(text: string): StyledLine {
  return { text: `  note: ${toPrintable(text)}`, tone: 'open', keepsPaths: true }
}
