/**
 * Makes the texts of an agent well-formed: NUL and lone surrogates become U+FFFD. JSON can carry both, but many clients
 * refuse them, and an agent does not accept them in a prompt, so the answer could not be sent back. Pure.
 */
import type { AgentEvent } from './agent.ts'

const NOT_TEXT = /\0|\p{Surrogate}/gu
const REPLACEMENT = '\ufffd'

/** A line can contain such a character only in one of these spellings. */
const SUSPECT = /\0|\\u(?:0000|[dD][89a-fA-F])/

export const REPLACED_WARNING =
  'the output of the agent contained NUL characters or halves of surrogate pairs; they were replaced by U+FFFD'

export class TextRepair {
  /** Half a character at the end of a piece of text; the next piece may begin with the other half. */
  #half: { type: 'message' | 'thinking'; unit: string } | undefined
  #hasReplaced = false

  get hasReplaced(): boolean {
    return this.#hasReplaced
  }

  /** The events of one line. Most lines have nothing to replace and are passed on unchanged. */
  events(events: AgentEvent[], line: string): AgentEvent[] {
    if (this.#half === undefined && !SUSPECT.test(line)) return events
    return events.flatMap((event) => this.#event(event))
  }

  /** A value with all its texts, and the names of its fields. */
  value<T>(value: T): T
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (Array.isArray(value)) return value.map((each) => this.value(each))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [this.#text(name), this.value(each)]))
  }

  /** What is left of the last piece when no more events come. */
  end(): AgentEvent[] {
    const half = this.#half
    this.#half = undefined
    return half === undefined ? [] : [pieceEvent(half.type, this.#text(half.unit))]
  }

  #event(event: AgentEvent): AgentEvent[] {
    if ((event.type !== 'message' && event.type !== 'thinking') || event.content.is_partial !== true) {
      return [...this.end(), this.value(event)]
    }
    const { type } = event
    const before = this.#half?.type === type ? [] : this.end()
    const text = `${this.#half?.unit ?? ''}${event.content.text}`
    this.#half = /[\ud800-\udbff]$/.test(text) ? { type, unit: text.slice(-1) } : undefined
    const whole = this.#half === undefined ? text : text.slice(0, -1)
    return whole === '' ? before : [...before, pieceEvent(type, this.#text(whole))]
  }

  #text(text: string): string {
    if (text.isWellFormed() && !text.includes('\0')) return text
    this.#hasReplaced = true
    return text.replace(NOT_TEXT, REPLACEMENT)
  }
}

function pieceEvent(type: 'message' | 'thinking', text: string): AgentEvent {
  if (type === 'thinking') return { type, content: { text, is_partial: true } }
  return { type, content: { text, role: 'assistant', is_partial: true } }
}
