/** The budgets of all processes with the same store. */
import type { Clock } from '../../kit/clock.ts'
import { type Budget, periodAt } from '../../prompts/budget-limit.ts'
import { createSlots } from '../../prompts/concurrency-slots.ts'
import type { BudgetSource, PromptLike, Reservation } from '../../prompts/decide-budget.ts'
import type { Owners } from '../../store/owners.ts'
import type { Sql, Steps } from '../../store/sql.ts'
import { look, raise, readBudget, reserve, type StoredBudget } from './budget-table.ts'

export type KnownBudget = Budget & StoredBudget & { resetsAt: string | undefined }

/** A prompt waits this long for others that start under the same budget. */
const WAIT_MS = 10_000
/** Each waits with a connection for the others. The rest of the connections is for everything else, such as signs of life. */
const AT_ONCE = 3

export class BudgetStore implements Pick<BudgetSource, 'reserve'> {
  readonly #sql: Sql
  readonly #owners: Pick<Owners, 'name' | 'endDead'>
  readonly #clock: Clock
  #search: Promise<boolean> | undefined
  readonly #turns = createSlots({ limit: AT_ONCE, queueLimit: Number.POSITIVE_INFINITY })

  constructor(sql: Sql, { owners, clock }: { owners: Pick<Owners, 'name' | 'endDead'>; clock: Clock }) {
    this.#sql = sql
    this.#owners = owners
    this.#clock = clock
  }

  /** Throws a Fault if a budget has nothing left. */
  async reserve(asked: { executionId: string; like: PromptLike; budgets: readonly Budget[] }): Promise<Reservation> {
    const now = this.#clock.now()
    const seen = await this.#sql.read(() => look({ ...asked, now }))
    if ('refusal' in seen) throw seen.refusal
    const owner = await this.#owners.name()
    const write = () => this.#write(() => reserve({ ...asked, owner, now }, seen.history))
    let decided = await write()
    // A process that was killed may hold what is missing.
    if ('refusal' in decided && decided.hasReservations && (await this.#foundDead())) decided = await write()
    if ('refusal' in decided) throw decided.refusal
    const { states, amounts } = decided
    const { executionId } = asked
    return {
      amounts,
      raise: (own) => this.#write(() => raise({ executionId, states, own, now: this.#clock.now() })),
    }
  }

  /** One search is enough for all that wait for it. */
  #foundDead(): Promise<boolean> {
    this.#search ??= this.#owners
      .endDead()
      .then(({ deadOwners }) => deadOwners.length > 0)
      .finally(() => {
        this.#search = undefined
      })
    return this.#search
  }

  async #write<T>(work: () => Steps<T>): Promise<T> {
    const slot = await this.#turns.take(new AbortController().signal)
    try {
      return await this.#sql.write(work, { waitMs: WAIT_MS, isSynced: false })
    } finally {
      slot?.release()
    }
  }

  async list(budgets: readonly Budget[]): Promise<KnownBudget[]> {
    const now = this.#clock.now()
    const known: KnownBudget[] = []
    for (const budget of budgets) {
      const { start, resetsAt } = periodAt(budget.period, now)
      known.push({ ...budget, ...(await this.#sql.read(() => readBudget(budget.id, start))), resetsAt })
    }
    return known
  }
}
