/** Reads what `gemini --acp` says of one prompt in one session (Agent Client Protocol). */
import type { AgentEvent } from '../../../../src/agents/agent.ts'
import { initEvent, messageEvents, thinkingEvents } from '../../../../src/agents/agent-events.ts'
import type { Trouble } from '../../../../src/agents/failure.ts'
import { usageOfStream } from '../../../../src/agents/gemini/result.ts'
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../../src/agents/json-fields.ts'
import { type Dialect, noFindings } from '../../../../src/agents/output-reader.ts'
import { ToolLog } from '../../../../src/agents/tool-log.ts'
import { usageEvents } from '../../../../src/agents/usage.ts'
import { approvalEvent } from '../approval-event.ts'
import { type Answer, AwaitedAnswers, type FollowedTurn } from '../followed-turn.ts'
import { stopTrouble, troubleOfRequest } from './acp-result.ts'
import { outcomeOfCall, toCall } from './acp-tools.ts'

/** What gemini says in the place of the model when the approval mode changes. */
const MODE_CHANGE = /^\[MODE_UPDATE\] (\w+)$/

export class GeminiAcpOutput implements Dialect {
  readonly backend = 'gemini'
  readonly isFramed = true
  readonly #found = noFindings()
  readonly #answers: AwaitedAnswers
  readonly #tools = new ToolLog()
  #hasBegun = false
  /** The text since the last use of a tool is the answer; texts before it accompany the work. */
  #isNewText = true

  constructor(turn: FollowedTurn) {
    this.#answers = new AwaitedAnswers(turn)
    this.#found.sessionId = turn.sessionId
    this.#found.model = turn.model
  }

  findings() {
    return this.#found
  }

  read(frame: JsonObject): AgentEvent[] {
    // News do not say to which prompt they belong, so those after the end are of the next one.
    if (this.#found.ending !== undefined) return []
    const answer = this.#answers.take(frame)
    if (answer !== undefined) return this.#readAnswer(answer)
    const params = objectAt(frame, 'params')
    const sessionId = textAt(params, 'sessionId')
    if (sessionId === undefined || sessionId !== this.#found.sessionId) return []
    // What is said before the prompt is sent answers another one: a session that is loaded tells its history.
    return this.#answers.isOpen ? [...this.#begin(), ...this.#readNews(textAt(frame, 'method'), params)] : []
  }

  #readAnswer({ to, result, error }: Answer): AgentEvent[] {
    if (error !== undefined) {
      this.#found.ending = troubleOfRequest(error)
      return []
    }
    if (to === 'prompt') return [...this.#begin(), ...this.#readEnd(result)]
    this.#found.sessionId = textAt(result, 'sessionId') ?? this.#found.sessionId
    this.#found.model = textAt(objectAt(result, 'models'), 'currentModelId') ?? this.#found.model
    return this.#answers.isOpen ? this.#begin() : []
  }

  #begin(): AgentEvent[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    const { model, sessionId } = this.#found
    return [initEvent({ model, sessionId })]
  }

  #readNews(method: string | undefined, params: JsonObject | undefined): AgentEvent[] {
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
    this.#found.text = this.#isNewText ? text : this.#found.text + text
    this.#isNewText = false
    return messageEvents(text, { isPartial: true })
  }

  #readTool(told: JsonObject): AgentEvent[] {
    this.#isNewText = true
    const [call, outcome] = [toCall(told), outcomeOfCall(told)]
    const use = this.#tools.announce(call)
    return outcome === undefined ? use : [...use, this.#tools.result({ ...call, ...outcome })]
  }

  #readEnd(result: JsonObject | undefined): AgentEvent[] {
    const quota = objectAt(objectAt(result, '_meta'), 'quota')
    this.#found.model = textAt(objectsAt(quota, 'model_usage')[0], 'model') ?? this.#found.model
    this.#found.usage = usageOfStream(objectAt(quota, 'token_count'))
    this.#found.ending = this.#endingOf(textAt(result, 'stopReason'))
    return usageEvents(this.#found.usage)
  }

  #endingOf(stopReason: string | undefined): 'success' | Trouble {
    if (stopReason !== 'end_turn') return stopTrouble(stopReason)
    // Also what gemini says when the model gave nothing it could use.
    const isSilent = this.#found.text === '' && this.#tools.isEmpty
    return isSilent ? { message: 'gemini ended the turn without an answer' } : 'success'
  }
}
