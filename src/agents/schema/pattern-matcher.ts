import { type Context, createContext, Script } from 'node:vm'

const TEST = new Script('pattern.test(text)')
/** For all patterns of one answer. The event loop waits for it. */
const BUDGET_MS = 50

/** Tests texts with regular expressions from strangers. One that would take for ever is stopped. */
export class PatternMatcher {
  #context: Context | undefined
  #leftMs = BUDGET_MS

  test(source: string, text: string): boolean | 'too slow' {
    if (this.#leftMs < 1) return 'too slow'
    this.#context ??= createContext({})
    Object.assign(this.#context, { pattern: new RegExp(source, 'u'), text })
    const startedAt = performance.now()
    try {
      return TEST.runInContext(this.#context, { timeout: Math.ceil(this.#leftMs) }) === true
    } catch {
      return 'too slow'
    } finally {
      this.#leftMs -= performance.now() - startedAt
    }
  }
}
