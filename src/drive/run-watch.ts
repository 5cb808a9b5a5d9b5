/** Notices that another process stopped a run, or skipped its action, while an agent or a check works on it. */
import { statSync } from 'node:fs'
import { toJournalPath } from '../journal/run-store.ts'
import { ignoreFault } from '../kit/fault.ts'
import { openRun } from '../runs/open-run.ts'
import { type DriveContext, uninterrupted } from './drive-context.ts'

/** Looking at the file is cheap, and works on file systems without change notifications. */
const POLL_MS = 200

export class RunWatch implements Disposable {
  readonly #context: Pick<DriveContext, 'runs' | 'runId'>
  readonly #actionId: string
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #onAbort = () => this.#controller.abort()
  /** Empty at first: the run may have changed before the watch began. */
  #mark = ''

  constructor(context: Pick<DriveContext, 'runs' | 'runId'>, actionId: string) {
    this.#context = context
    this.#actionId = actionId
    const { signal } = context.runs
    if (signal.aborted) this.#onAbort()
    signal.addEventListener('abort', this.#onAbort)
    this.#timer = setInterval(() => void this.#look(), POLL_MS).unref()
  }

  /** Aborted when the work is not wanted any more, or the driver is. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#context.runs.signal.removeEventListener('abort', this.#onAbort)
  }

  async #look(): Promise<void> {
    const mark = this.#markNow()
    if (mark === this.#mark) return
    this.#mark = mark
    const { runs, runId } = this.#context
    const opened = openRun(uninterrupted(runs), runId, ({ state, current_action: current }) => {
      return state === 'active' && current?.action_id === this.#actionId
    })
    // The driver reports what is wrong with the run when it reads it next.
    const isWanted = await opened.catch(ignoreFault)
    if (isWanted === false) this.#controller.abort()
  }

  #markNow(): string {
    const { runs, runId } = this.#context
    const found = statSync(toJournalPath(runs.store, runId), { bigint: true, throwIfNoEntry: false })
    return found === undefined ? '' : [found.ino, found.size, found.mtimeNs].join()
  }
}
