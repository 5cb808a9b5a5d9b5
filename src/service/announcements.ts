/** What a server tells the targets of its settings: what runs announce, what agents ask for, and what is left of budgets. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.shape.ts'
import type { Announcing } from '../drive/announce-run.ts'
import type { Stores } from '../executions/store/stores.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Environment } from '../kit/process/child-environment.ts'
import type { Notifier } from '../notify/notifier.ts'
import { type NotifyEvent, toApprovalEvent, toBudgetEvent, waitAfter } from '../notify/notify-event.ts'
import type { PushTargets, Sight } from '../notify/push-targets.ts'
import type { Approvals } from '../prompts/approvals.ts'
import type { BudgetList } from '../prompts/budget-list.shape.ts'

type Parts = {
  readonly config: Config
  readonly stores: Pick<Stores, 'outbox' | 'pushSubscriptions'>
  readonly approvals: Approvals
  /** All of them, whoever they are for. */
  readonly listBudgets: () => Promise<BudgetList>
  readonly env: Environment
  readonly cwd: string
  readonly clock: Clock
  readonly log: Log
  readonly shutdown: AbortSignal
  /** The file with the key pair for browsers. */
  readonly pushKey: string
  /** What the owner of a browser may see. */
  readonly sightOf: ((as: string) => Sight) | undefined
}

/** Prompts of other processes with this store are charged too. */
const LOOK_AT_BUDGETS_MS = 5000

const CONTACT = 'https://drover.dev'

export class Announcements implements Announcing {
  readonly #parts: Parts
  #notifier: Promise<Notifier> | undefined
  #push: PushTargets | undefined
  /** Where people on this machine reach the console, once it listens. */
  localUrl = ''

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get hasTargets(): boolean {
    return this.#parts.config.notify.targets.length > 0
  }

  consoleUrl(): string {
    return this.#parts.config.server.public_url || this.localUrl
  }

  async announce(event: NotifyEvent): Promise<void> {
    await (await this.#open()).announce(event)
  }

  /** Delivers until the server stops. */
  async run(): Promise<void> {
    const { approvals, shutdown } = this.#parts
    approvals.onChange(({ type, approval, origin }) => {
      if (type !== 'asked') return
      const isPending = () => approvals.list().includes(approval)
      void this.#announceWhile(toApprovalEvent(approval, { ...origin, consoleUrl: this.consoleUrl() }), isPending)
    })
    await Promise.all([(await this.#open()).run(shutdown), this.#watchBudgets()])
  }

  /** What other servers have announced is known to the outbox. */
  async #watchBudgets(): Promise<void> {
    const { listBudgets, clock, log, shutdown: signal } = this.#parts
    const announced = new Set<string>()
    while (!signal.aborted) {
      try {
        const facts = { at: toTimestamp(clock.now()), consoleUrl: this.consoleUrl() }
        for (const budget of (await listBudgets()).budgets) {
          const event = toBudgetEvent(budget, facts)
          if (event === undefined || announced.has(event.id)) continue
          await this.announce(event)
          announced.add(event.id)
        }
      } catch (error) {
        log.error({ reason: String(error) }, 'no one could be notified of budgets yet')
      }
      await delay(LOOK_AT_BUDGETS_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** The store may fail for a while, for example because the disk is full. */
  async #announceWhile(event: NotifyEvent, isNeeded: () => boolean): Promise<void> {
    const { log, shutdown: signal } = this.#parts
    for (let attempts = 1; isNeeded() && !signal.aborted; attempts += 1) {
      try {
        return await this.announce(event)
      } catch (error) {
        log.error({ reason: String(error) }, 'no one could be notified of what an agent asks for yet')
        await delay(waitAfter(attempts, 0, Math.random()), undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  /** The browsers that are notified. Undefined: the settings have no such target. */
  async push(): Promise<PushTargets | undefined> {
    const { config, stores, clock, pushKey: keyFile, sightOf } = this.#parts
    if (sightOf === undefined || !config.notify.targets.some(({ type }) => type === 'browsers')) return undefined
    const { PushTargets } = await import('../notify/push-targets.ts')
    this.#push ??= new PushTargets({
      ...{ keyFile, clock, sightOf, hosts: config.notify.push_hosts, subscriptions: stores.pushSubscriptions() },
      // Services want to know who sends. An address on this machine tells them nothing.
      contact: () => (config.server.public_url.startsWith('https:') ? config.server.public_url : CONTACT),
    })
    return this.#push
  }

  /** Loads it with the first call: most servers notify no one. */
  #open(): Promise<Notifier> {
    this.#notifier ??= this.#create()
    return this.#notifier
  }

  async #create(): Promise<Notifier> {
    const { Notifier } = await import('../notify/notifier.ts')
    const { config, stores, env, cwd, clock, log } = this.#parts
    const { outbox } = stores
    const push = await this.push()
    return new Notifier({ outbox, targets: config.notify.targets, env: { ...env }, cwd, clock, log, push })
  }
}
