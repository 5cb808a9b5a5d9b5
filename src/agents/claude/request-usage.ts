/** Counts the tokens of a turn while it runs, as claude reports them with the messages of each model request. */
import type { Usage } from '../adapter/agent.ts'
import { countAt, type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { addUsage, NO_USAGE } from '../adapter/token-usage.ts'
import { toUsage } from './result.ts'

export class RequestUsage {
  #finished: Usage | undefined
  #current: { id: string | undefined; usage: Usage } | undefined

  /** Notes a message. The messages of one request have the same id and repeat its counts. */
  note(message: JsonRecord): void {
    const counts = objectAt(message, 'usage')
    if (counts === undefined) return
    const id = textAt(message, 'id')
    const usage = toUsage(counts)
    const isSame = this.#current !== undefined && this.#current.id === id
    if (!isSame) this.#finished = this.sum()
    // The count of the output may be the one from the start of the answer.
    const output_tokens = Math.max(usage.output_tokens, isSame ? (this.#current?.usage.output_tokens ?? 0) : 0)
    this.#current = { id, usage: { ...usage, output_tokens } }
  }

  /** Notes the end of an answer that came in pieces: only now all of its output is counted. */
  noteEnd(counts: JsonRecord | undefined): void {
    const output_tokens = countAt(counts, 'output_tokens')
    if (this.#current === undefined || output_tokens === undefined) return
    this.#current = { ...this.#current, usage: { ...this.#current.usage, output_tokens } }
  }

  /** Undefined before the first message. */
  sum(): Usage | undefined {
    if (this.#current === undefined) return this.#finished
    return addUsage(this.#finished ?? NO_USAGE, this.#current.usage)
  }
}
