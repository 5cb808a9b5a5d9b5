/** What an execution has said and done, built from its numbered events. Pure. */
import type { ApprovalRequest, DecidedApproval, SteeredMessage, Usage } from '../../agents/adapter/agent.shape.ts'
import type { ExecutionEvent } from '../../executions/store/execution.shape.ts'

export type TranscriptItem =
  | TextItem
  | ToolItem
  | ApprovalItem
  | { kind: 'told'; seq: number; at: string; message: SteeredMessage }
  | { kind: 'error'; seq: number; message: string; code: string | undefined }

export type ApprovalItem = {
  kind: 'approval'
  seq: number
  request: ApprovalRequest
  decided: (DecidedApproval & { at: string }) | undefined
}

type TextItem = { kind: 'message' | 'thinking'; seq: number; text: string; isOpen: boolean }

export type ToolItem = {
  kind: 'tool'
  seq: number
  id: string | undefined
  name: string
  input: unknown
  at: string
  result: ShownToolResult | undefined
}

/** `problem`: why it failed, in the words of the agent. */
export type ShownToolResult = { seq: number; output: string; problem: string | undefined; isError: boolean; at: string }

export type Transcript = {
  /** The number of the last event. */
  lastSeq: number
  items: readonly TranscriptItem[]
  state: string | undefined
  model: string | undefined
  workdir: string | undefined
  usage: Usage | undefined
  warnings: readonly string[]
}

export const EMPTY: Transcript = {
  lastSeq: 0,
  items: [],
  state: undefined,
  model: undefined,
  workdir: undefined,
  usage: undefined,
  warnings: [],
}

/** Events that were applied before are ignored, so that a stream may begin anywhere. Items that do not change stay the same. */
export function applyEvents(transcript: Transcript, events: readonly ExecutionEvent[]): Transcript {
  const fresh = events.filter(({ seq }) => seq > transcript.lastSeq)
  if (fresh.length === 0) return transcript
  const draft = { ...transcript, items: [...transcript.items] }
  for (const event of fresh) {
    apply(draft, event)
    draft.lastSeq = event.seq
  }
  return draft
}

type Draft = Omit<Transcript, 'items'> & { items: TranscriptItem[] }

/** The stored content has the shape that its type names; older versions of drover may have left out fields. */
type Fields = {
  text?: string
  is_partial?: boolean
  tool_id?: string
  tool_name?: string
  input?: unknown
  output?: string
  is_error?: boolean
  error_message?: string
  message?: string
  code?: string
  state?: string
  model?: string
  working_dir?: string
  token_usage?: Usage
  warnings?: readonly string[]
}

function apply(draft: Draft, event: ExecutionEvent): void {
  const fields = event.content as Fields
  switch (event.type) {
    case 'message':
    case 'thinking':
      addText(draft, event.type, { seq: event.seq, text: fields.text ?? '', isOpen: fields.is_partial === true })
      return
    case 'tool_use':
      draft.items.push({
        kind: 'tool',
        seq: event.seq,
        id: fields.tool_id,
        name: fields.tool_name ?? 'tool',
        input: fields.input,
        at: event.at,
        result: undefined,
      })
      return
    case 'tool_result':
      addResult(draft, event, fields)
      return
    case 'approval_request':
      draft.items.push({
        kind: 'approval',
        seq: event.seq,
        request: event.content as unknown as ApprovalRequest,
        decided: undefined,
      })
      return
    case 'approval_decision':
      addDecision(draft, event)
      return
    case 'user_message':
      draft.items.push({
        kind: 'told',
        seq: event.seq,
        at: event.at,
        message: event.content as unknown as SteeredMessage,
      })
      return
    case 'error':
      draft.items.push({ kind: 'error', seq: event.seq, message: fields.message ?? '', code: fields.code })
      return
    default:
      applyFacts(draft, event, fields)
  }
}

function addDecision(draft: Draft, { at, content }: ExecutionEvent): void {
  const decided = { ...(content as unknown as DecidedApproval), at }
  const isMeant = (item: TranscriptItem) => item.kind === 'approval' && item.request.approval_id === decided.approval_id
  const index = draft.items.findLastIndex(isMeant)
  const asked = draft.items[index]
  if (asked?.kind === 'approval') draft.items[index] = { ...asked, decided }
}

function applyFacts(draft: Draft, { type, content }: ExecutionEvent, fields: Fields): void {
  if (type === 'state') draft.state = fields.state
  if (type === 'init') Object.assign(draft, { model: fields.model, workdir: fields.working_dir })
  if (type === 'token_usage') draft.usage = content as unknown as Usage
  if (type === 'done') Object.assign(draft, { usage: fields.token_usage, warnings: fields.warnings ?? [] })
}

/** A piece of a text continues the text before it, unless something else came between. */
function addText(
  draft: Draft,
  kind: 'message' | 'thinking',
  piece: { seq: number; text: string; isOpen: boolean },
): void {
  const last = draft.items.at(-1)
  if (last?.kind === kind && last.isOpen) {
    draft.items[draft.items.length - 1] = { ...last, text: last.text + piece.text, isOpen: piece.isOpen }
  } else draft.items.push({ kind, ...piece })
}

function addResult(draft: Draft, { seq, at }: ExecutionEvent, fields: Fields): void {
  const {
    tool_id: id,
    tool_name: name = 'tool',
    output = '',
    is_error: isError = false,
    error_message: problem,
  } = fields
  const result = { seq, output, problem, isError, at }
  const matches = (item: TranscriptItem) =>
    item.kind === 'tool' && item.result === undefined && (id === undefined ? item.name === name : item.id === id)
  const index = draft.items.findLastIndex(matches)
  const call = draft.items[index]
  if (call?.kind === 'tool') draft.items[index] = { ...call, result }
  else draft.items.push({ kind: 'tool', seq, id, name, input: undefined, at, result })
}

/** The answer: what the agent wrote to the user. */
export function joinAnswer({ items }: Transcript): string {
  return items.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).join('\n\n')
}
