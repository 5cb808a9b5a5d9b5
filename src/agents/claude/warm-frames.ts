/** Which frames of a claude process that stays up belong to a turn, and what they mean. Pure. */
import type { AgentQuestion, ApprovalReply, ApprovalRequest } from '../adapter/agent.ts'
import { NO_ANSWER } from '../adapter/answers.ts'
import { countAt, isObject, type JsonRecord, objectAt, objectsAt, textAt } from '../adapter/json-fields.ts'
import { readSubject } from '../adapter/tool-log.ts'
import { withoutEarlier } from './result.ts'

export type ClaudeFrame =
  /** Belongs to the turn. */
  | { kind: 'turn'; frame: JsonRecord }
  /** Claude wants to use a tool. */
  | { kind: 'ask'; requestId: string; request: JsonRecord }
  /** Any other request of claude. */
  | { kind: 'request'; requestId: string; subtype: string }
  | { kind: 'answer'; requestId: string }
  /** Belongs to another turn: the process is in a state that it must not be in. */
  | { kind: 'foreign' }
  | { kind: 'nothing' }

/** The frames of an answer; before the turn has begun, they belong to an earlier one. */
const ANSWER_TYPES: readonly string[] = ['assistant', 'user', 'stream_event', 'result']

/** Reads the frames of one turn. Only the result that follows the repeated message ends the turn. */
export class ClaudeTurnFrames {
  readonly #messageId: string
  #earlier: JsonRecord | undefined
  #hasBegun = false
  #isRepeated = false
  /** Messages that claude was sent during the turn and has not repeated yet. */
  readonly #expected = new Set<string>()
  /** Results that came before such a message was read: another one follows. */
  readonly #held: JsonRecord[] = []

  /** `earlier`: the last result of this process, whose sums continue in the next one. */
  constructor(messageId: string, earlier: JsonRecord | undefined) {
    this.#messageId = messageId
    this.#earlier = earlier
  }

  /** The turn lasts until claude has answered this message. */
  expect(messageId: string): void {
    this.#expected.add(messageId)
  }

  /** From now on the next result ends the turn. Returns whether claude still has messages to read. */
  dropExpected(): boolean {
    const isAny = this.#expected.size > 0
    this.#expected.clear()
    return isAny
  }

  read(frame: JsonRecord): ClaudeFrame {
    const type = textAt(frame, 'type') ?? ''
    const control = readControl(frame, type)
    if (control !== undefined) return control
    if (type === 'user' && textAt(frame, 'uuid') === this.#messageId) {
      this.#isRepeated = true
      return { kind: 'nothing' }
    }
    if (type === 'user' && this.#expected.delete(textAt(frame, 'uuid') ?? '')) return { kind: 'nothing' }
    const isInit = type === 'system' && textAt(frame, 'subtype') === 'init'
    if (isInit && this.#held.length > 0) return { kind: 'nothing' }
    this.#hasBegun ||= isInit
    if (!this.#hasBegun) return ANSWER_TYPES.includes(type) ? this.#readForeign(frame, type) : { kind: 'nothing' }
    return type === 'result' ? this.#readResult(frame) : { kind: 'turn', frame }
  }

  /** Only the last result of a turn ends it. */
  #readResult(frame: JsonRecord): ClaudeFrame {
    if (!this.#isRepeated) return this.#readForeign(frame, 'result')
    if (this.#expected.size > 0) {
      this.#held.push(frame)
      return { kind: 'nothing' }
    }
    return { kind: 'turn', frame: withHeld(withoutEarlier(frame, this.#earlier), this.#held) }
  }

  /** The sums of another turn are no part of this one. */
  #readForeign(frame: JsonRecord, type: string): ClaudeFrame {
    if (type === 'result') this.#earlier = frame
    return { kind: 'foreign' }
  }
}

function readControl(frame: JsonRecord, type: string): ClaudeFrame | undefined {
  if (type === 'control_response') {
    const requestId = textAt(objectAt(frame, 'response'), 'request_id')
    return requestId === undefined ? { kind: 'nothing' } : { kind: 'answer', requestId }
  }
  if (type === 'control_cancel_request') return { kind: 'nothing' }
  if (type !== 'control_request') return undefined
  const [requestId, request] = [textAt(frame, 'request_id'), objectAt(frame, 'request')]
  if (requestId === undefined || request === undefined) return { kind: 'nothing' }
  const subtype = textAt(request, 'subtype') ?? ''
  return subtype === 'can_use_tool' ? { kind: 'ask', requestId, request } : { kind: 'request', requestId, subtype }
}

const USAGE_COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const

/** The result with what earlier results of the same turn have counted. The counts per model and the cost are sums already. */
function withHeld(result: JsonRecord, held: readonly JsonRecord[]): JsonRecord {
  if (held.length === 0) return result
  const all = [...held, result]
  const sum = (count: (frame: JsonRecord) => number | undefined) =>
    all.reduce((total, frame) => total + (count(frame) ?? 0), 0)
  const counts = USAGE_COUNTS.map((name) => [name, sum((frame) => countAt(objectAt(frame, 'usage'), name))])
  return {
    ...result,
    num_turns: sum((frame) => countAt(frame, 'num_turns')),
    usage: { ...objectAt(result, 'usage'), ...Object.fromEntries(counts) },
    permission_denials: all.flatMap((frame) => objectsAt(frame, 'permission_denials')),
  }
}

export function toApprovalRequest(request: JsonRecord): Omit<ApprovalRequest, 'approval_id'> {
  const input = request['input']
  const command = isObject(input) ? textAt(input, 'command') : undefined
  const toolId = textAt(request, 'tool_use_id')
  const reason = textAt(request, 'decision_reason', 'description')
  const diff = toDiff(input)
  const questions = readQuestions(request)
  return {
    tool_name: textAt(request, 'tool_name') ?? 'unknown',
    ...(toolId !== undefined && { tool_id: toolId }),
    ...(command !== undefined && { command }),
    ...(diff !== undefined && { diff }),
    ...(input !== undefined && { input }),
    ...(reason !== undefined && { reason }),
    ...(questions.length > 0 && { questions }),
    choices:
      objectsAt(request, 'permission_suggestions').length > 0 && questions.length === 0
        ? ['allow', 'allow_session', 'deny']
        : ['allow', 'deny'],
  }
}

/** The tool with which claude asks its user. Claude takes any text as an answer. */
function readQuestions(request: JsonRecord): AgentQuestion[] {
  if (textAt(request, 'tool_name') !== 'AskUserQuestion') return []
  return objectsAt(objectAt(request, 'input'), 'questions').map((question) => ({
    text: textAt(question, 'question') ?? '',
    options: objectsAt(question, 'options').map((option) => {
      const description = textAt(option, 'description')
      return { label: textAt(option, 'label') ?? '', ...(description !== undefined && { description }) }
    }),
    takes_text: true,
    ...(question['multiSelect'] === true && { takes_several: true }),
  }))
}

/** What an editing tool would change. */
function toDiff(input: unknown): string | undefined {
  if (!isObject(input)) return undefined
  const [before, after] = [textAt(input, 'old_string'), textAt(input, 'new_string', 'content')]
  if (after === undefined) return undefined
  const prefix = (sign: string, text: string) => text.split('\n').map((line) => `${sign}${line}`)
  const lines = [...(before === undefined ? [] : prefix('-', before)), ...prefix('+', after)]
  return [`--- ${readSubject(input) ?? ''}`, ...lines].join('\n')
}

/** The answer to `can_use_tool`. For the session: the rules that claude itself suggests, but only until the process ends. */
export function toPermissionAnswer(request: JsonRecord, { decision, message, answers }: ApprovalReply): JsonRecord {
  const questions = readQuestions(request)
  if (questions.length > 0) return toQuestionAnswer(request, { questions, decision, message, answers })
  if (decision === 'deny') return { behavior: 'deny', message: message ?? 'The user denied this.' }
  const suggestions = objectsAt(request, 'permission_suggestions')
  const updatedPermissions = suggestions.map((rule) => ({ ...rule, destination: 'session' }))
  return {
    behavior: 'allow',
    updatedInput: objectAt(request, 'input') ?? {},
    ...(decision === 'allow_session' && { updatedPermissions }),
  }
}

/** Claude knows an answer by the text of its question. */
function toQuestionAnswer(
  request: JsonRecord,
  { questions, decision, message, answers = [] }: ApprovalReply & { questions: readonly AgentQuestion[] },
): JsonRecord {
  if (decision === 'deny') return { behavior: 'deny', message: message ?? NO_ANSWER }
  const given = questions.map(({ text }, at) => [text, (answers[at] ?? []).join(', ')])
  return { behavior: 'allow', updatedInput: { ...objectAt(request, 'input'), answers: Object.fromEntries(given) } }
}
