import type { Usage } from '../../../../src/agents/adapter/agent.ts'
import { type JsonObject, objectAt } from '../../../../src/agents/adapter/json-fields.ts'
import { NO_USAGE, withoutPrior } from '../../../../src/agents/adapter/usage.ts'
import { toUsage } from '../../../../src/agents/codex/usage.ts'

/**
 * The share of one turn in the counts of `app-server`: `total` is that of the thread, `last` that of the last request to
 * the model, of which a turn has any number. A turn that is interrupted during its first request repeats the counts of
 * the turn before it, so what counts is by how much the total has grown.
 */
export class ThreadUsage {
  #prior: Usage | undefined
  #total: Usage | undefined
  ofTurn = NO_USAGE

  constructor(prior: Usage | undefined) {
    this.#prior = prior
  }

  /** The total of all turns so far; undefined until a count is known. */
  get ofThread(): Usage | undefined {
    return this.#total ?? this.#prior
  }

  countEarlierTurn(usage: JsonObject | undefined): void {
    this.#prior = toUsage(objectAt(usage, 'total'))
  }

  countTurn(usage: JsonObject | undefined): void {
    this.#total = toUsage(objectAt(usage, 'total'))
    this.#prior ??= withoutPrior(this.#total, toUsage(objectAt(usage, 'last')))
    this.ofTurn = withoutPrior(this.#total, this.#prior)
  }
}
