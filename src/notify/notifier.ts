/** Announces events to the targets of the settings, and delivers what waits. Loaded only if there are targets. */
import type { Log } from '../kit/log.ts'
import { raceSignal, raceTime } from '../kit/race.ts'
import type { Outbox, OutboxEntry } from '../store/outbox.ts'
import { isWanted, type NotifyEvent, type NotifyTarget, waitAfter } from './notify-event.ts'
import { type DeliveryPlaces, deliver } from './tell-target.ts'

type NotifierOptions = DeliveryPlaces & {
  readonly outbox: Outbox
  readonly targets: readonly NotifyTarget[]
  readonly log: Log
}

/** Another process may have announced something, or a time has come. */
const LOOK_MS = 2000

export class Notifier {
  readonly #options: NotifierOptions
  #wake = Promise.withResolvers<void>()

  constructor(options: NotifierOptions) {
    this.#options = options
  }

  /** Resolves when the event is stored. */
  async announce(event: NotifyEvent): Promise<void> {
    const { outbox, targets } = this.#options
    const wanting = targets.filter((target) => isWanted(target, event))
    if (wanting.length === 0) return
    const receivers = (await Promise.all(wanting.map((target) => this.#receiversOf(target, event)))).flat()
    const body = JSON.stringify(event)
    const { id, stream, endsAt } = event
    await outbox.add(receivers.map(({ name: target }) => ({ id, target, stream, body, endsAt })))
    this.#wake.resolve()
    this.#wake = Promise.withResolvers<void>()
  }

  /** Delivers until the signal. A target that hangs does not delay the others. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#options.targets.map((target) => this.#runFor(target, signal)))
  }

  /** Delivers what is due now. */
  async flush(): Promise<void> {
    await Promise.all(
      this.#options.targets.map(async (target) => {
        while (await this.#deliverNext(target));
      }),
    )
  }

  async #runFor(target: NotifyTarget, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wake = this.#wake.promise
      const hadOne = await this.#deliverNext(target).catch((error: unknown) => this.#report(target, error))
      if (!hadOne) await raceSignal(raceTime(wake, LOOK_MS), signal)
    }
  }

  /** False: nothing is due. Browsers do not wait for each other. */
  async #deliverNext(target: NotifyTarget): Promise<boolean> {
    const receivers = await this.#receiversOf(target)
    return (await Promise.all(receivers.map((each) => this.#deliverTo(each)))).includes(true)
  }

  /** Those of a target that may get the event, or those that something may wait for. */
  async #receiversOf(target: NotifyTarget, event?: NotifyEvent): Promise<readonly NotifyTarget[]> {
    if (target.type !== 'browsers') return [target]
    return (await this.#options.push?.browsersOf(target, event)) ?? []
  }

  async #deliverTo(target: NotifyTarget): Promise<boolean> {
    const { outbox } = this.#options
    const entry = await outbox.take(target.name)
    if (entry === undefined) return false
    const failed = await deliver(target, JSON.parse(entry.body), this.#options)
    if (failed === undefined) await outbox.delivered(entry)
    else await this.#tryLater(entry, failed)
    return true
  }

  async #tryLater(entry: OutboxEntry, { problem, isFinal }: { problem: string; isFinal?: true }): Promise<void> {
    const { outbox, clock, log } = this.#options
    const { id, target, attempts, createdAt } = entry
    const ageMs = clock.now().getTime() - createdAt.getTime()
    const waitMs = isFinal ? undefined : waitAfter(attempts, ageMs, Math.random())
    const fields = { target, id, attempts, problem }
    if (waitMs === undefined) {
      await outbox.giveUp(entry)
      return log.error(fields, 'a notification could not be delivered and is given up')
    }
    await outbox.postpone(entry, waitMs)
    log.warn(fields, 'a notification could not be delivered; drover will try again')
  }

  /** The store failed. The entry is taken again later. */
  #report({ name }: NotifyTarget, error: unknown): false {
    this.#options.log.error({ target: name, reason: String(error) }, 'notifications cannot be delivered')
    return false
  }
}
