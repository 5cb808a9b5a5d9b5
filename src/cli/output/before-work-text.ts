/** What a driver did before the first attempt, as text. Pure. */
import { howItEnded } from '../../drive/prompt/follow-ups.ts'
import type { EventOf } from '../../drive/record/drive-event.shape.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import { describeStep } from '../../workspace/prepare/prepare-worktree.ts'
import { formatDuration } from './format-amounts.ts'
import { toPrintable } from './printable.ts'
import { lastLines, oneLine, type StyledLine } from './text-table.ts'

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

function describeBaseline({ command, put_back: paths = [], ...ended }: EventOf<'baseline_ran'>['data']): StyledLine[] {
  const text = `  before the work: check ${oneLine(command)} ${howItEnded(ended)}`
  const more = paths.length - PATHS_SHOWN
  const list = `${paths.slice(0, PATHS_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const notes = paths.length === 0 ? [] : [toNote(`the check changed files, which were put back: ${list}`)]
  return [{ text, tone: ended.passed ? 'good' : 'bad' }, ...notes]
}

function toNote(text: string): StyledLine {
  return { text: `  note: ${toPrintable(text)}`, tone: 'open', keepsPaths: true }
}
