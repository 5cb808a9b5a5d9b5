/** Reads the notifications of `codex app-server` during one turn, as lines of `codex exec --json`. Pure. */
import type { ApprovalReply, ApprovalRequest } from '../adapter/agent.ts'
import { NO_ANSWER } from '../adapter/answers.ts'
import { countAt, type JsonRecord, objectAt, objectsAt, textAt, textsAt } from '../adapter/json-fields.ts'

/** The thread and turn that a frame belongs to; undefined: it belongs to the process. */
export function readTurnIds(params: JsonRecord): { threadId: string | undefined; turnId: string | undefined } {
  const turnId = textAt(params, 'turnId') ?? textAt(objectAt(params, 'turn'), 'id')
  return { threadId: textAt(params, 'threadId'), turnId }
}

/** The separator between the parts of a thought. */
const PART_BREAK = '\n\n'

/** Turns notifications into lines. It remembers the usage, which codex sends apart from the end of the turn. */
export class CodexTurnFrames {
  #usage: JsonRecord | undefined

  /** Undefined: `exec` prints nothing about it. */
  toLine(method: string, params: JsonRecord): JsonRecord | undefined {
    switch (method) {
      case 'turn/started':
        return { type: 'turn.started' }
      case 'item/started':
        return toItemLine('item.started', params)
      case 'item/completed':
        return toItemLine('item.completed', params)
      case 'item/agentMessage/delta':
        return { type: 'agent_message.delta', delta: textAt(params, 'delta') }
      case 'item/reasoning/summaryPartAdded':
        return countAt(params, 'summaryIndex') ? { type: 'reasoning.delta', delta: PART_BREAK } : undefined
      case 'item/reasoning/summaryTextDelta':
        return { type: 'reasoning.delta', delta: textAt(params, 'delta') }
      case 'warning':
        return { type: 'item.completed', item: { type: 'error', message: textAt(params, 'message') ?? '' } }
      case 'turn/plan/updated':
        return toPlanLine(params)
      case 'thread/tokenUsage/updated':
        this.#usage = objectAt(objectAt(params, 'tokenUsage'), 'total')
        return { type: 'usage.updated', usage: this.#usage }
      case 'error':
        return toErrorLine(params)
      case 'turn/completed':
        return this.#toEndLine(objectAt(params, 'turn'))
      default:
        return undefined
    }
  }

  #toEndLine(turn: JsonRecord | undefined): JsonRecord {
    const status = textAt(turn, 'status')
    if (status === 'completed') return { type: 'turn.completed', usage: this.#usage }
    if (status === 'interrupted') return { type: 'turn.failed', error: { message: 'codex was interrupted' } }
    const message = textAt(objectAt(turn, 'error'), 'message')
    return {
      type: 'turn.failed',
      error: { message },
    }
  }
}

/** The names of items in `exec`. Other items are not printed there. */
const ITEM_TYPES: Readonly<Record<string, string>> = {
  agentMessage: 'agent_message',
  reasoning: 'reasoning',
  commandExecution: 'command_execution',
  fileChange: 'file_change',
  mcpToolCall: 'mcp_tool_call',
  webSearch: 'web_search',
}

function toItemLine(type: string, params: JsonRecord): JsonRecord | undefined {
  const item = objectAt(params, 'item') ?? {}
  const name = ITEM_TYPES[textAt(item, 'type') ?? '']
  if (name === undefined) return undefined
  const { aggregatedOutput, exitCode, status, summary: _, content: __, ...rest } = item
  const text = name === 'reasoning' ? { text: joinThought(item) } : {}
  const outcome = name === 'command_execution' ? { aggregated_output: aggregatedOutput ?? '', exit_code: exitCode } : {}
  const known = status === undefined ? {} : { status: status === 'inProgress' ? 'in_progress' : status }
  const changes = name === 'file_change' ? { changes: objectsAt(item, 'changes').map(toChange) } : {}
  return { type, item: { ...rest, ...text, ...outcome, ...known, ...changes, type: name } }
}

/** Most models give summaries of their thoughts, few give the thoughts themselves. */
function joinThought(item: JsonRecord): string {
  return textsAt(item, 'summary').join(PART_BREAK) || textsAt(item, 'content').join(PART_BREAK)
}

/** `exec` prints the kind as a word, and no diff. */
function toChange(change: JsonRecord): JsonRecord {
  return { path: change['path'], kind: textAt(objectAt(change, 'kind'), 'type') ?? change['kind'] }
}

function toPlanLine(params: JsonRecord): JsonRecord {
  const items = objectsAt(params, 'plan').map((step) => {
    return { text: textAt(step, 'step') ?? '', completed: textAt(step, 'status') === 'completed' }
  })
  return { type: 'item.updated', item: { type: 'todo_list', items } }
}

function toErrorLine(params: JsonRecord): JsonRecord {
  const error = objectAt(params, 'error')
  const [message, details] = [textAt(error, 'message') ?? '', textAt(error, 'additionalDetails')]
  const isRetry = params['willRetry'] === true && details !== undefined
  return { type: 'error', message: isRetry ? `${message} (${details})` : message }
}

/** The requests of codex that are questions for the caller. */
const QUESTIONS: Readonly<Record<string, string>> = {
  'item/commandExecution/requestApproval': 'command_execution',
  'item/fileChange/requestApproval': 'file_change',
  'item/tool/requestUserInput': 'request_user_input',
}

/** Undefined: the method asks for nothing that a caller can allow. `changes` are those of the item that waits. */
export function toApprovalRequest(
  method: string,
  params: JsonRecord,
  changes: readonly JsonRecord[],
): Omit<ApprovalRequest, 'approval_id'> | undefined {
  const tool = QUESTIONS[method]
  if (tool === undefined) return undefined
  const [id, command, reason] = [textAt(params, 'itemId'), textAt(params, 'command'), textAt(params, 'reason')]
  const diff = changes
    .map((change) => `--- ${textAt(change, 'path') ?? ''}\n${textAt(change, 'diff') ?? ''}`)
    .join('\n')
  const asked = toQuestions(params)
  return {
    tool_name: tool,
    ...(id !== undefined && { tool_id: id }),
    ...(command !== undefined && { command }),
    ...(diff !== '' && { diff }),
    ...(reason !== undefined && { reason }),
    ...(asked.length === 0
      ? { choices: ['allow', 'allow_session', 'deny'] }
      : { input: { questions: params['questions'] }, questions: asked, choices: ['allow', 'deny'] }),
  }
}

function toQuestions(params: JsonRecord): NonNullable<ApprovalRequest['questions']> {
  return objectsAt(params, 'questions').map((question) => ({
    text: textAt(question, 'question') ?? '',
    options: objectsAt(question, 'options').map((option) => {
      const description = textAt(option, 'description')
      return { label: textAt(option, 'label') ?? '', ...(description !== undefined && { description }) }
    }),
    ...(question['isOther'] === true && { takes_text: true }),
  }))
}

const DECISIONS: Record<ApprovalReply['decision'], string> = {
  allow: 'accept',
  allow_session: 'acceptForSession',
  deny: 'decline',
}

/** The answer to a request of codex. A question without an answer is answered, too: codex would end its turn for an error. */
export function toDecision(params: JsonRecord, { decision, message, answers = [] }: ApprovalReply): JsonRecord {
  const questions = objectsAt(params, 'questions')
  if (questions.length === 0) return { decision: DECISIONS[decision] }
  const given = questions.map((question, at) => {
    const answer = decision === 'deny' ? [message ?? NO_ANSWER] : (answers[at] ?? [])
    return [textAt(question, 'id') ?? '', { answers: [...answer] }]
  })
  return { answers: Object.fromEntries(given) }
}
