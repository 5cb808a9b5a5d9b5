/** The setting `budgets` of a running process: read again when the config file changes, as API keys are. */
import { unwatchFile, watchFile } from 'node:fs'
import { toErrorMessage } from '../kit/fault.ts'
import type { Log } from '../kit/log.ts'
import type { Config } from './config.shape.ts'

type Entries = Config['budgets']

export type BudgetsFile = { readonly path: string; readonly read: () => Promise<Entries> }

/** As often as for keys. */
const FILE_POLL_MS = 500

const RELOADED = 'budgets were reloaded and have changed'
const RELOADED_AGAIN = 'budgets can be reloaded again; they have not changed'
const RELOAD_FAILED = 'budgets could not be reloaded; the previous ones stay valid'

export class LiveBudgets {
  /** Those that are enforced. */
  entries: Entries
  readonly #file: BudgetsFile
  #hasFailed = false
  /** Reloads run one after the other, so that an older result never replaces a newer one. */
  #lastReload = Promise.resolve()

  constructor(entries: Entries, file: BudgetsFile) {
    this.entries = entries
    this.#file = file
  }

  async reload(log: Log): Promise<void> {
    this.#lastReload = this.#lastReload.then(() => this.#read(log))
    await this.#lastReload
  }

  /** Until `signal` is aborted. */
  watch(log: Log, signal: AbortSignal): void {
    if (signal.aborted) return
    const { path } = this.#file
    const again = () => void this.reload(log)
    watchFile(path, { interval: FILE_POLL_MS, persistent: false }, again)
    signal.addEventListener('abort', () => unwatchFile(path, again), { once: true })
  }

  async #read(log: Log): Promise<void> {
    try {
      const entries = await this.#file.read()
      const isSame = JSON.stringify(entries) === JSON.stringify(this.entries)
      this.entries = entries
      if (!isSame || this.#hasFailed) log.info({ count: entries.length }, isSame ? RELOADED_AGAIN : RELOADED)
      this.#hasFailed = false
    } catch (error) {
      this.#hasFailed = true
      log.error({ reason: toErrorMessage(error) }, RELOAD_FAILED)
    }
  }
}
