/** The output of `codex app-server` during one turn: what `exec` prints, and the pieces of texts besides. */
import type { AgentEvent, Usage } from '../adapter/agent.ts'
import { messageEvents, thinkingEvents } from '../adapter/events.ts'
import { type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import type { AgentOutput } from '../adapter/output-reader.ts'
import { StreamedText } from '../adapter/streamed-text.ts'
import { CodexOutput, toUsage, usageOfTurn } from './output.ts'

export class CodexWarmOutput implements AgentOutput {
  readonly backend = 'codex'
  readonly isFramed = true
  readonly #output: CodexOutput
  readonly #wantsDeltas: boolean
  readonly #message = new StreamedText()
  readonly #thinking = new StreamedText()
  readonly #prior: Usage | undefined
  /** Of this turn, and of the whole thread. */
  #counted: { usage: Usage; threadUsage: Usage } | undefined

  constructor({ priorUsage, wantsDeltas }: { priorUsage: Usage | undefined; wantsDeltas: boolean }) {
    this.#prior = priorUsage
    this.#output = new CodexOutput(priorUsage)
    this.#wantsDeltas = wantsDeltas
  }

  /**
   * The pieces of a text that was cut off are no part of the result: `exec` prints no such text. A turn that did not end
   * well has no counts; what it had used belongs to it and not to the next one.
   */
  summary() {
    const summary = this.#output.summary()
    if (summary.outcome === 'success' || this.#counted === undefined) return summary
    return { ...summary, ...this.#counted }
  }

  usageSoFar(): Usage | undefined {
    return this.#counted?.usage
  }

  deniedOnStderr(stderrTail: string) {
    return this.#output.deniedOnStderr(stderrTail)
  }

  read(line: JsonRecord): AgentEvent[] | undefined {
    const delta = textAt(line, 'delta')
    switch (textAt(line, 'type')) {
      case 'agent_message.delta':
        return this.#wantsDeltas ? addTo(this.#message, messageEvents(delta, { isPartial: true })) : []
      case 'reasoning.delta':
        return this.#wantsDeltas ? addTo(this.#thinking, thinkingEvents(delta, { isPartial: true })) : []
      case 'usage.updated':
        this.#count(toUsage(objectAt(line, 'usage')))
        return []
      case 'item.started':
        this.#restart(textAt(objectAt(line, 'item'), 'type'))
        return this.#output.read(line)
      default:
        return this.#output.read(line)?.flatMap((event) => this.#withoutPieces(event))
    }
  }

  #count(threadUsage: Usage): void {
    this.#counted = { threadUsage, usage: usageOfTurn(threadUsage, this.#prior) }
  }

  /** A text that begins after a lost connection replaces the one that was cut off. */
  #restart(itemType: string | undefined): void {
    if (itemType === 'agent_message') this.#message.restart()
    if (itemType === 'reasoning') this.#thinking.restart()
  }

  /** A whole text, without the pieces that were reported already. */
  #withoutPieces(event: AgentEvent): AgentEvent[] {
    if (event.type === 'message') return messageEvents(this.#message.takeRest(event.content.text), { isPartial: false })
    if (event.type === 'thinking') {
      return thinkingEvents(this.#thinking.takeRest(event.content.text), { isPartial: false })
    }
    return [event]
  }
}

function addTo(text: StreamedText, events: AgentEvent[]): AgentEvent[] {
  for (const event of events) if (event.type === 'message' || event.type === 'thinking') text.add(event.content.text)
  return events
}
