/** Turns the events of a prompt into the parts of a stream of the AI SDK. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { PromptEvent } from './messages.generated.ts'

type Kind = 'text' | 'reasoning'

export class StreamParts {
  #open: { kind: Kind; id: string } | undefined
  #count = 0
  #hasText = false
  #reasoning = ''
  readonly #isObject: boolean

  /** `isObject`: the answer must match a schema. What the agent writes before it is no part of it, so only the result is text. */
  constructor({ isObject }: { isObject: boolean }) {
    this.#isObject = isObject
  }

  reasoning(): string {
    return this.#reasoning
  }

  add(event: PromptEvent): LanguageModelV4StreamPart[] {
    switch (event.type) {
      case 'message':
        if (this.#isObject) return []
        this.#hasText = true
        return this.#append('text', event.content)
      case 'thinking':
        this.#reasoning += event.content.text
        return this.#append('reasoning', event.content)
      case 'tool_use':
        return this.#close()
      default:
        return []
    }
  }

  /** An agent that has written nothing still has an answer. */
  end(output: string): LanguageModelV4StreamPart[] {
    const parts = this.#hasText || output === '' ? [] : this.#append('text', { text: output })
    return [...parts, ...this.#close()]
  }

  #append(kind: Kind, { text, is_partial: isPartial }: { text: string; is_partial?: boolean | undefined }) {
    const parts: LanguageModelV4StreamPart[] = []
    if (this.#open?.kind !== kind) {
      parts.push(...this.#close())
      this.#count += 1
      this.#open = { kind, id: String(this.#count) }
      parts.push({ type: `${kind}-start`, id: this.#open.id })
    }
    parts.push({ type: `${kind}-delta`, id: this.#open.id, delta: text })
    // A whole text is a separate part.
    if (isPartial !== true) parts.push(...this.#close())
    return parts
  }

  #close(): LanguageModelV4StreamPart[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }
}
