/** When the server that `drover up` starts ends: when the user says so, or, if it watches nothing, after some time without a prompt. */
import type { Config } from '../../config/config.shape.ts'
import type { ServedDrover } from '../../service/served.ts'

const CHECK_MS = { least: 50, most: 10_000 }

export class BackgroundEnd {
  readonly #ended = Promise.withResolvers<undefined>()
  readonly #isBackground: boolean
  readonly #timer: NodeJS.Timeout | undefined
  readonly #stopWatching: () => void

  constructor(
    { config, drover: { records: executions, runs } }: { config: Config; drover: ServedDrover },
    isBackground: boolean,
  ) {
    this.#isBackground = isBackground
    const idleMs = config.warm.background_idle_secs * 1000
    let lastUsed = performance.now()
    this.#stopWatching = executions.onChange(() => {
      lastUsed = performance.now()
    })
    const check = () => {
      // A check or git may work for a run while no agent does.
      if (runs.count > 0) lastUsed = performance.now()
      const isIdle = executions.running().length === 0 && performance.now() - lastUsed >= idleMs
      if (isIdle) this.end()
    }
    if (isBackground && config.drive.watch.length === 0) this.#timer = setInterval(check, checkEvery(idleMs)).unref()
  }

  /** Never resolves for a server that has an address. */
  get ended(): Promise<undefined> {
    return this.#ended.promise
  }

  end(): void {
    if (this.#isBackground) this.#ended.resolve(undefined)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#stopWatching()
  }
}

function checkEvery(idleMs: number): number {
  return Math.min(Math.max(idleMs / 4, CHECK_MS.least), CHECK_MS.most)
}
