/** What the user does: decisions, cancelling, starting prompts. The outcome is told in one line. */
import { signal } from '@preact/signals'
import type { ExecutionAccepted } from '../../executions/store/execution.shape.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import type { MessageSent } from '../../prompts/message-sent.shape.ts'
import type { CompareRequest, PromptBody, ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import { ApiError, call } from './api.ts'

export type PageNotice = { text: string; isProblem: boolean; id: number }

export const notice = signal<PageNotice | undefined>(undefined)

const NOTICE_MS = 8000
let lastNotice = 0

/** A problem stays until the user closes it, or until something else is told. */
export function tell(text: string, { isProblem = false } = {}): void {
  lastNotice += 1
  const id = lastNotice
  notice.value = { text, isProblem, id }
  if (!isProblem)
    setTimeout(() => {
      if (notice.peek()?.id === id) notice.value = undefined
    }, NOTICE_MS)
}

/** Runs the work and tells what went wrong. Returns undefined then. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), { isProblem: true })
    return undefined
  }
}

export type ApprovalOption = PendingApproval['choices'][number]

const DECIDED: Readonly<Record<ApprovalOption, string>> = {
  allow: 'Allowed.',
  allow_session: 'Allowed for this session.',
  deny: 'Denied.',
}

const ANSWERED = { allow: 'The agent has your answer.', deny: 'The agent continues without an answer.' }

/** Another browser may have decided first. */
export async function decide(
  approval: PendingApproval,
  decision: ApprovalOption,
  { message = '', answers }: { message?: string; answers?: string[][] } = {},
): Promise<void> {
  const { execution_id: execution, approval_id: id } = approval
  const body = { decision, ...(message !== '' && { message }), ...(answers !== undefined && { answers }) }
  try {
    await call(`executions/${execution}/approvals/${encodeURIComponent(id)}`, { method: 'POST', body })
    tell(approval.questions === undefined ? DECIDED[decision] : ANSWERED[decision === 'deny' ? 'deny' : 'allow'])
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 'approval_not_found'
    const text = isGone
      ? 'Too late: someone else has decided this already, or the agent no longer waits.'
      : String(error instanceof Error ? error.message : error)
    tell(text, { isProblem: true })
  }
}

export async function cancelExecution(id: string): Promise<void> {
  await attempt(async () => {
    await call(`executions/${id}/cancel`, { method: 'POST' })
    tell('Canceling: the agent and its programs are being stopped.')
  })
}

/** Tells an agent something while it works. Returns whether it was taken. */
export async function say(id: string, text: string): Promise<boolean> {
  const sent = await attempt(() => call<MessageSent>(`executions/${id}/message`, { method: 'POST', body: { text } }))
  if (sent !== undefined) tell(DELIVERED[sent.delivered])
  return sent !== undefined
}

const DELIVERED: Readonly<Record<MessageSent['delivered'], string>> = {
  now: 'The agent has the message.',
  next_turn: 'The agent takes no messages while it works. It gets this one with the next prompt of its session.',
}

/** Starts a prompt that keeps running without this page. */
export async function startPrompt(request: Omit<PromptBody, 'detach'>): Promise<ExecutionAccepted> {
  return await call('prompt', { method: 'POST', body: { ...request, detach: true } })
}

/** The same prompt on several agents. It keeps running without this page, and is found again under its own address. */
export async function startComparison(request: CompareRequest): Promise<ExecutionAccepted> {
  return await call('compare', { method: 'POST', body: request, headers: { prefer: 'respond-async' } })
}

export async function resumeSession(id: string, request: Omit<ResumeRequest, 'detach'>): Promise<ExecutionAccepted> {
  return await call(`sessions/${id}/resume`, { method: 'POST', body: { ...request, detach: true } })
}

/** Saves a file to where the browser keeps downloads. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

export function saveJson(value: object, name: string): void {
  saveFile(new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' }), name)
}

/** What a form does when it is sent, in place of what the browser would do. */
export function submits(work: () => unknown): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    void work()
  }
}
