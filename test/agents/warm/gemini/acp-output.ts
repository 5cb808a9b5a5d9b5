/** Reads the frames of `gemini --acp` about one prompt in one session (Agent Client Protocol). */
import type { AgentEvent } from '../../../../src/agents/adapter/agent.ts'
import { initEvent, messageEvents, thinkingEvents } from '../../../../src/agents/adapter/events.ts'
import type { AgentFailure } from '../../../../src/agents/adapter/failure.ts'
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../../src/agents/adapter/json-fields.ts'
import { type AgentOutput, emptySummary } from '../../../../src/agents/adapter/output-reader.ts'
import { ToolLog } from '../../../../src/agents/adapter/tool-log.ts'
import { usageEvents } from '../../../../src/agents/adapter/usage.ts'
import { usageOfStream } from '../../../../src/agents/gemini/result.ts'
import { approvalEvent } from '../approval-event.ts'
import { type Answer, AwaitedAnswers, type FollowedTurn } from '../followed-turn.ts'
import { failureOfRequest, failureOfStop } from './acp-result.ts'
import { outcomeOfCall, toCall } from './acp-tools.ts'

/** The text that gemini sends, like an answer of the model, when the approval mode changes. */
const MODE_CHANGE = /^\[MODE_UPDATE\] (\w+)$/

export class GeminiAcpOutput implements AgentOutput {
  readonly backend = 'gemini'
  readonly isFramed = true
  readonly #summary = emptySummary()
  readonly #answers: AwaitedAnswers
  readonly #tools = new ToolLog()
  #hasBegun = false
  /** The text since the last use of a tool is the answer; texts before it accompany the work. */
  #isNewText = true

  constructor(turn: FollowedTurn) {
    this.#answers = new AwaitedAnswers(turn)
    this.#summary.sessionId = turn.sessionId
    this.#summary.model = turn.model
  }

  summary() {
    return this.#summary
  }

  read(frame: JsonObject): AgentEvent[] {
    // Updates do not name their prompt, so those after the end belong to the next one.
    if (this.#summary.outcome !== undefined) return []
    const answer = this.#answers.take(frame)
    if (answer !== undefined) return this.#readAnswer(answer)
    const params = objectAt(frame, 'params')
    const sessionId = textAt(params, 'sessionId')
    if (sessionId === undefined || sessionId !== this.#summary.sessionId) return []
    // Frames before the prompt belong to earlier ones: a loaded session sends its history.
    return this.#answers.isOpen ? [...this.#begin(), ...this.#readUpdateFrame(textAt(frame, 'method'), params)] : []
  }

  #readAnswer({ to, result, error }: Answer): AgentEvent[] {
    if (error !== undefined) {
      this.#summary.outcome = failureOfRequest(error)
      return []
    }
    if (to === 'prompt') return [...this.#begin(), ...this.#readEnd(result)]
    this.#summary.sessionId = textAt(result, 'sessionId') ?? this.#summary.sessionId
    this.#summary.model = textAt(objectAt(result, 'models'), 'currentModelId') ?? this.#summary.model
    return this.#answers.isOpen ? this.#begin() : []
  }

  #begin(): AgentEvent[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    const { model, sessionId } = this.#summary
    return [initEvent({ model, sessionId })]
  }

  #readUpdateFrame(method: string | undefined, params: JsonObject | undefined): AgentEvent[] {
    if (method === 'session/request_permission') return this.#readPermission(objectAt(params, 'toolCall') ?? {})
    return method === 'session/update' ? this.#readUpdate(objectAt(params, 'update') ?? {}) : []
  }

  #readPermission(call: JsonObject): AgentEvent[] {
    return [...this.#readTool(call), approvalEvent(textAt(call, 'title') ?? '')]
  }

  #readUpdate(update: JsonObject): AgentEvent[] {
    const text = textAt(objectAt(update, 'content'), 'text') ?? ''
    switch (textAt(update, 'sessionUpdate')) {
      case 'agent_message_chunk':
        return this.#readText(text)
      case 'agent_thought_chunk':
        // A thought comes whole, with its title.
        return thinkingEvents(text, { isPartial: false })
      case 'tool_call':
      case 'tool_call_update':
        return this.#readTool(update)
      default:
        return []
    }
  }

  #readText(text: string): AgentEvent[] {
    const mode = MODE_CHANGE.exec(text)?.[1]
    if (mode !== undefined) return [{ type: 'progress', content: { stage: 'mode_changed', message: mode } }]
    this.#summary.text = this.#isNewText ? text : this.#summary.text + text
    this.#isNewText = false
    return messageEvents(text, { isPartial: true })
  }

  #readTool(update: JsonObject): AgentEvent[] {
    this.#isNewText = true
    const [call, outcome] = [toCall(update), outcomeOfCall(update)]
    const use = this.#tools.announce(call)
    return outcome === undefined ? use : [...use, this.#tools.result({ ...call, ...outcome })]
  }

  #readEnd(result: JsonObject | undefined): AgentEvent[] {
    const quota = objectAt(objectAt(result, '_meta'), 'quota')
    this.#summary.model = textAt(objectsAt(quota, 'model_usage')[0], 'model') ?? this.#summary.model
    this.#summary.usage = usageOfStream(objectAt(quota, 'token_count'))
    this.#summary.outcome = this.#outcomeOf(textAt(result, 'stopReason'))
    return usageEvents(this.#summary.usage)
  }

  #outcomeOf(stopReason: string | undefined): 'success' | AgentFailure {
    if (stopReason !== 'end_turn') return failureOfStop(stopReason)
    // Also what gemini says when the model gave nothing it could use.
    const isSilent = this.#summary.text === '' && this.#tools.isEmpty
    return isSilent ? { message: 'gemini ended the turn without an answer' } : 'success'
  }
}
