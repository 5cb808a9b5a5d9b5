/** Shows the progress of several agents on stderr: live lines on a terminal, one line per event elsewhere. */
import { type PromptResult, type PromptStatus, toPromptStatus } from '../../prompts/prompt-result.ts'
import type { BatchWatcher } from '../../prompts/run-batch.ts'
import { formatDuration } from '../output/format-amounts.ts'
import { LiveLines } from '../output/live-lines.ts'
import { toMessage, toOneLine } from '../output/printable.ts'
import { RetryTimer } from '../prompt/retry-notice.ts'
import type { Channel } from '../terminal.ts'
import { formatCheckLine } from './comparison-text.ts'
import { type BatchItem, ItemProgress } from './item-progress.ts'
import { failureReason } from './print-batch.ts'

export type ProgressReporter = {
  watcher: BatchWatcher
  /** The agents should send partial text, because it is shown as progress. */
  wantsDeltas: boolean
  /** Removes live lines and waits until everything is written. */
  end(): Promise<void>
}

const REDRAW_INTERVAL_MS = 200
const NAME_COLUMNS = 80
const REASON_COLUMNS = 300

type Note = Parameters<Required<BatchWatcher>['noted']>[0]

/** How to log in to an agent, if drover sees no login. */
export type FindLogin = (backend: string) => string | undefined

/** Only notes, and which items only try again. */
export function createSilentReporter(
  items: readonly BatchItem[],
  channel: Channel,
  findLogin: FindLogin,
): ProgressReporter {
  const writing = createQueue()
  const noted = (note: Note) => writing.add(() => channel.write(`${formatNote(note)}\n`))
  const event = watchRetries(items, { say: (line) => writing.add(() => channel.write(line)), findLogin })
  return { watcher: { noted, event }, wantsDeltas: false, end: writing.done }
}

type Watched = { say: (line: string) => void; findLogin: FindLogin }

function watchRetries(items: readonly BatchItem[], { say, findLogin }: Watched): Required<BatchWatcher>['event'] {
  const notices = items.map(() => new RetryTimer(say))
  return (index, event) => {
    const item = items[index]
    if (item === undefined) return
    notices[index]?.note(event, `${item.mark} ${formatName(item)}`, () => findLogin(item.backend))
  }
}

/** It may name files, and an agent may have put control characters and line breaks into their names. */
function formatNote({ message, isWarning }: Note): string {
  return `drover: ${isWarning ? 'warning: ' : ''}${toMessage(message)}`
}

/** One line when an item starts and one when it ends. */
export function createLineReporter(
  items: readonly BatchItem[],
  channel: Channel,
  findLogin: FindLogin,
): ProgressReporter {
  const writing = createQueue()
  const write = (line: string) => writing.add(() => channel.write(`${line}\n`))
  const writeLine = (index: number, format: (item: BatchItem) => string) => {
    const item = items[index]
    if (item !== undefined) write(format(item))
  }
  return {
    watcher: {
      started: (index) => writeLine(index, (item) => `${item.mark} started: ${formatName(item)}`),
      event: watchRetries(items, { say: (line) => writing.add(() => channel.write(line)), findLogin }),
      ended: (index, result) => writeLine(index, (item) => formatEnd(item, result)),
      checked: (name, check) => write(formatCheckLine(name, check)),
      noted: (note) => write(formatNote(note)),
    },
    wantsDeltas: false,
    end: writing.done,
  }
}

/** Only failures, for --quiet. */
export function createFailureReporter(items: readonly BatchItem[], channel: Channel): ProgressReporter {
  const { watcher, ...rest } = createLineReporter(items, channel, () => undefined)
  const ended: BatchWatcher['ended'] = (item, result) => hasFailed(result) && watcher.ended?.(item, result)
  return { ...rest, watcher: { ended, ...(watcher.noted !== undefined && { noted: watcher.noted }) } }
}

/** Redraws one line per running item and one with the counts. Failures stay above them. */
export function createLiveReporter(items: readonly BatchItem[], channel: Channel): ProgressReporter {
  const lines = new LiveLines(channel)
  const progress = new ItemProgress(items)
  const drawing = createQueue()
  const draw = (above: readonly string[] = []) => drawing.add(() => lines.draw(progress.toLines(channel), above))
  const timer = setInterval(() => draw(), REDRAW_INTERVAL_MS)
  draw()
  return {
    watcher: {
      started: progress.started,
      event: progress.event,
      ended: (item, result) => {
        progress.ended(item, result)
        const failed = hasFailed(result) ? items[item] : undefined
        if (failed !== undefined) draw([formatEnd(failed, result)])
      },
      checking: (name, command) => {
        progress.checking(name, command)
        draw()
      },
      checked: (name, check) => {
        progress.checked()
        draw([formatCheckLine(name, check)])
      },
      noted: (note) => draw([formatNote(note)]),
    },
    wantsDeltas: true,
    async end() {
      clearInterval(timer)
      await drawing.done()
      await lines.clear()
    },
  }
}

function hasFailed(result: PromptResult): boolean {
  return toPromptStatus(result) === 'failed'
}

const STATUS_TEXTS: Readonly<Record<PromptStatus, string>> = {
  completed: 'finished',
  failed: 'failed',
  canceled: 'canceled',
}

/** `[2] failed after 1.5 s: beta (codex): the reason` */
function formatEnd(item: BatchItem, result: PromptResult): string {
  const status = toPromptStatus(result)
  const reason = status === 'failed' ? `: ${toOneLine(failureReason(result), REASON_COLUMNS)}` : ''
  return `${item.mark} ${STATUS_TEXTS[status]} after ${formatDuration(result.duration_ms)}: ${formatName(item)}${reason}`
}

function formatName({ name, backend }: BatchItem): string {
  return name === backend ? name : `${toOneLine(name, NAME_COLUMNS)} (${backend})`
}

/** Writes in order, because the batch does not wait for its watchers. A failed write must not stop the batch. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add(work: () => Promise<unknown>): void {
      last = last.then(work).catch(() => undefined)
    },
    async done(): Promise<void> {
      await last
    },
  }
}
