/** What a user is asked about something that an agent wants to do, and which key decides what. Pure. */
import type { ApprovalReply, ApprovalRequest, Backend } from '../../agents/adapter/agent.ts'
import { describeRequest } from '../../agents/approval-details.ts'
import { toRevealed } from '../../kit/revealed-text.ts'
import type { Key } from '../key-reader.ts'
import { BAR, splitSafely } from '../output/quote-with-bar.ts'

export type Asked = { backend: Backend; request: ApprovalRequest }

/**
 * The tool, what it would do, and why it asks: all of it, whatever its length. No line is wider than the terminal, which
 * would continue it without a bar.
 */
export function formatRequest({ backend, request }: Asked, columns: number): string[] {
  const { tool_name: tool, reason } = request
  const split = (text: string) => splitSafely(text, columns - BAR.length)
  const withBar = (line: string) => `${BAR}${line}`
  const splitOurs = (text: string) => split(text).map((line, at) => (at === 0 ? line : withBar(line)))
  return [
    ...splitOurs(`${backend} wants to use ${toRevealedLine(tool)}:`),
    ...toRevealed(describeRequest(request)).split('\n').flatMap(split).map(withBar),
    ...(reason === undefined ? [] : splitOurs(`Its reason: ${toRevealedLine(reason)}`)),
  ]
}

function toRevealedLine(text: string): string {
  return toRevealed(text.trim().replace(/\s+/g, ' '))
}

export function formatQuestion({ choices }: ApprovalRequest): string {
  const session = choices.includes('allow_session') ? ', a = yes, for the rest of the session' : ''
  return `Allow it? y = yes${session}, n = no `
}

export type ApprovalAnswer = ApprovalReply['decision'] | 'cancel'

/** Undefined: the key means nothing. The end of the input denies. */
export function toApprovalAnswer(key: Key | undefined, { choices }: ApprovalRequest): ApprovalAnswer | undefined {
  if (key === undefined || key.name === 'escape') return 'deny'
  if (key.isCtrl) return CTRL_ANSWERS[key.name]
  const answer = ANSWERS[key.text.toLowerCase()]
  return answer !== undefined && choices.includes(answer) ? answer : undefined
}

const ANSWERS: Readonly<Record<string, ApprovalReply['decision']>> = { y: 'allow', a: 'allow_session', n: 'deny' }
const CTRL_ANSWERS: Readonly<Record<string, ApprovalAnswer>> = { c: 'cancel', d: 'deny' }

export const ANSWER_WORDS: Readonly<Record<ApprovalAnswer, string>> = {
  allow: 'yes',
  allow_session: 'yes, for the rest of the session',
  deny: 'no',
  cancel: '^C',
}

export type NoticeFacts = Asked & { executionId: string; socket: string; timeoutSecs: number }

/** For a user who cannot be asked: all that the agent waits for, and the command that decides. */
export function formatNotice(facts: NoticeFacts, columns: number): string {
  const { request, executionId, socket, timeoutSecs } = facts
  const path = `/api/v1/executions/${executionId}/approvals/${request.approval_id}`
  return [
    'drover: an agent waits for a decision:',
    ...formatRequest(facts, columns),
    `drover: without one it is denied after ${timeoutSecs} s. To allow it (or "deny" it), run:`,
    `  curl --unix-socket '${socket}' -H 'content-type: application/json' -d '{"decision":"allow"}' http://localhost${path}`,
    '',
  ].join('\n')
}
