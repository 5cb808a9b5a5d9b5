/** Reads the frames of `codex app-server` about one turn of one thread. */
import type { AgentEvent, Usage } from '../../../../src/agents/adapter/agent.ts'
import { initEvent, messageEvents, thinkingEvents } from '../../../../src/agents/adapter/events.ts'
import { countAt, type JsonObject, objectAt, textAt } from '../../../../src/agents/adapter/json-fields.ts'
import { type AgentOutput, emptySummary } from '../../../../src/agents/adapter/output-reader.ts'
import { StreamedText } from '../../../../src/agents/adapter/streamed-text.ts'
import { ToolLog } from '../../../../src/agents/adapter/tool-log.ts'
import { usageEvents } from '../../../../src/agents/adapter/usage.ts'
import { readItem } from '../../../../src/agents/codex/items.ts'
import { approvalEvent } from '../approval-event.ts'
import { type Answer, AwaitedAnswers, type FollowedTurn } from '../followed-turn.ts'
import { PART_BREAK, toExecItem, toTodoList } from './thread-items.ts'
import { failureOf, formatApproval, formatRetry, outcomeOf } from './thread-result.ts'
import { ThreadUsage } from './thread-usage.ts'

export class CodexThreadOutput implements AgentOutput {
  readonly backend = 'codex'
  readonly isFramed = true
  readonly #summary = emptySummary()
  readonly #answers: AwaitedAnswers
  readonly #tools = new ToolLog()
  readonly #message = new StreamedText()
  readonly #thinking = new StreamedText()
  readonly #usage: ThreadUsage
  #turnId: string | undefined
  #workdir: string | undefined

  constructor(turn: FollowedTurn, prior: Usage | undefined) {
    this.#answers = new AwaitedAnswers(turn)
    this.#summary.sessionId = turn.sessionId
    this.#summary.model = turn.model
    this.#usage = new ThreadUsage(prior)
  }

  summary() {
    // A failed answer consists of the text that arrived before it was cut off.
    const text = this.#message.unfinished || this.#summary.text
    return { ...this.#summary, text, usage: this.#usage.ofTurn, threadUsage: this.#usage.ofThread }
  }

  read(frame: JsonObject): AgentEvent[] {
    if (this.#summary.outcome !== undefined) return []
    const answer = this.#answers.take(frame)
    if (answer !== undefined) return this.#readAnswer(answer)
    const params = objectAt(frame, 'params')
    const threadId = textAt(params, 'threadId')
    if (params === undefined || threadId === undefined || threadId !== this.#summary.sessionId) return []
    return this.#readNews(textAt(frame, 'method') ?? '', params)
  }

  #readAnswer({ result, error }: Answer): AgentEvent[] {
    if (error !== undefined) {
      this.#summary.outcome = failureOf(error) ?? { message: 'codex refuses the request' }
      return []
    }
    this.#summary.sessionId = textAt(objectAt(result, 'thread'), 'id') ?? this.#summary.sessionId
    this.#summary.model = textAt(result, 'model') ?? this.#summary.model
    this.#workdir = textAt(result, 'cwd') ?? this.#workdir
    return this.#begin(textAt(objectAt(result, 'turn'), 'id'))
  }

  #readNews(method: string, params: JsonObject): AgentEvent[] {
    const turnId = textAt(params, 'turnId') ?? textAt(objectAt(params, 'turn'), 'id')
    // Arrives at about the same time as the response to the prompt, sometimes before it and sometimes after it.
    const start = method === 'turn/started' ? this.#begin(turnId) : []
    if (turnId !== undefined && turnId === this.#turnId) return [...start, ...this.#readTurn(method, params)]
    // A thread that is resumed begins with the counts of its last turn.
    if (method === 'thread/tokenUsage/updated') this.#usage.countEarlierTurn(objectAt(params, 'tokenUsage'))
    const isWarning = method === 'warning' && this.#turnId !== undefined
    return isWarning ? [progress('warning', textAt(params, 'message') ?? '')] : []
  }

  #begin(turnId: string | undefined): AgentEvent[] {
    if (turnId === undefined || this.#turnId !== undefined) return []
    this.#turnId = turnId
    const { model, sessionId } = this.#summary
    return [initEvent({ model, sessionId, workdir: this.#workdir })]
  }

  #readTurn(method: string, params: JsonObject): AgentEvent[] {
    switch (method) {
      case 'turn/started':
        return [{ type: 'progress', content: { stage: 'turn_started' } }]
      case 'item/started':
      case 'item/completed':
        return this.#readItem(objectAt(params, 'item') ?? {}, { isCompleted: method === 'item/completed' })
      case 'item/agentMessage/delta':
        return this.#say(textAt(params, 'delta') ?? '')
      case 'item/reasoning/summaryPartAdded':
        return countAt(params, 'summaryIndex') ? this.#think(PART_BREAK) : []
      case 'item/reasoning/summaryTextDelta':
        return this.#think(textAt(params, 'delta') ?? '')
      case 'turn/plan/updated':
        return readItem({ item: toTodoList(params), isCompleted: false, tools: this.#tools })
      case 'thread/tokenUsage/updated':
        this.#usage.countTurn(objectAt(params, 'tokenUsage'))
        return []
      case 'error':
        return this.#readError(params)
      case 'turn/completed':
        return this.#readEnd(objectAt(params, 'turn'))
      default:
        return method.endsWith('/requestApproval') ? [approvalEvent(formatApproval(method, params))] : []
    }
  }

  #say(piece: string): AgentEvent[] {
    this.#message.add(piece)
    return messageEvents(piece, { isPartial: true })
  }

  #think(piece: string): AgentEvent[] {
    this.#thinking.add(piece)
    return thinkingEvents(piece, { isPartial: true })
  }

  #readItem(update: JsonObject, { isCompleted }: { isCompleted: boolean }): AgentEvent[] {
    const item = toExecItem(update)
    // A message that begins after a lost connection replaces the one that was cut off.
    if (!isCompleted && item['type'] === 'agent_message') this.#message.restart()
    if (!isCompleted && item['type'] === 'reasoning') this.#thinking.restart()
    return readItem({ item, isCompleted, tools: this.#tools }).flatMap((event) => this.#withoutGiven(event))
  }

  /** If a text came in pieces, only the rest is returned. The last message is the answer. */
  #withoutGiven(event: AgentEvent): AgentEvent[] {
    if (event.type === 'thinking')
      return thinkingEvents(this.#thinking.takeRest(event.content.text), { isPartial: false })
    if (event.type !== 'message') return [event]
    this.#summary.text = event.content.text
    return messageEvents(this.#message.takeRest(event.content.text), { isPartial: false })
  }

  #readError(params: JsonObject): AgentEvent[] {
    const error = objectAt(params, 'error')
    if (params['willRetry'] === true) return [progress('retry', formatRetry(error))]
    this.#summary.lastError = failureOf(error)
    return []
  }

  #readEnd(turn: JsonObject | undefined): AgentEvent[] {
    this.#summary.outcome = outcomeOf(turn) ??
      this.#summary.lastError ?? { message: 'codex reports that the turn failed' }
    return usageEvents(this.#usage.ofTurn)
  }
}

function progress(stage: string, message: string): AgentEvent {
  return { type: 'progress', content: { stage, message } }
}
