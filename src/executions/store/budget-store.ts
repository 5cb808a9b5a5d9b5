/** The budgets of all processes with the same store. */
import type { Clock } from '../../kit/clock.ts'
import { type Budget, periodAt } from '../../prompts/budget-limit.ts'
import type { BudgetSource, PromptLike, Reservation } from '../../prompts/budget-source.ts'
import type { Owners } from '../../store/owners.ts'
import type { Sql } from '../../store/sql.ts'
import { raise, readBudget, reserve, type StoredBudget } from './budget-table.ts'

type Asked = { executionId: string; like: PromptLike; budgets: readonly Budget[] }

export type KnownBudget = Budget & StoredBudget & { resetsAt: string | undefined }

/** A prompt waits this long for others that start under the same budget. */
const WAIT_MS = 10_000

export class BudgetStore implements Pick<BudgetSource, 'reserve'> {
  readonly #sql: Sql
  readonly #owners: Pick<Owners, 'name' | 'endDead'>
  readonly #clock: Clock

  constructor(sql: Sql, { owners, clock }: { owners: Pick<Owners, 'name' | 'endDead'>; clock: Clock }) {
    this.#sql = sql
    this.#owners = owners
    this.#clock = clock
  }

  /** Throws a Fault if a budget has nothing left. */
  async reserve(asked: Asked): Promise<Reservation> {
    const owner = await this.#owners.name()
    const now = this.#clock.now()
    const write = () => this.#sql.write(() => reserve({ ...asked, owner, now }), { waitMs: WAIT_MS, isSynced: false })
    let decided = await write()
    // A process that was killed may hold what is missing.
    if ('refusal' in decided && decided.hasReservations && (await this.#owners.endDead()).deadOwners.length > 0)
      decided = await write()
    if ('refusal' in decided) throw decided.refusal
    const { states, amounts } = decided
    const { executionId } = asked
    return {
      amounts,
      raise: async (own) =>
        await this.#sql.write(() => raise({ executionId, states, own, now: this.#clock.now() }), { isSynced: false }),
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
