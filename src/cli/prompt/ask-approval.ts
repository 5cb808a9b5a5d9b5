/** Asks the user at the terminal about what an agent wants to do. Without a terminal it says how to decide elsewhere. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentQuestion, ApprovalReply, ApprovalRequest, Backend } from '../../agents/adapter/agent.ts'
import { problemOf } from '../../agents/adapter/answers.ts'
import { describeRequest } from '../../agents/describe-for-people.ts'
import { toRevealed } from '../../kit/printable-text.ts'
import type { Runtime } from '../command.ts'
import type { Key, KeyReader } from '../key-reader.ts'
import { cutToColumns } from '../output/printable.ts'
import { BAR, splitSafely } from '../output/wrap-words.ts'
import { isInteractive } from './ask-user.ts'

/** Keys that were typed before the question appears are not an answer to it. They arrive within this time. */
const TYPED_AHEAD_MS = 50
const CLEAR_LINE = '\r\u001b[K'

type Surroundings = Pick<Runtime, 'stdin' | 'terminal'>

/** Undefined if the user does not decide here. `signal` takes the question back. */
export async function askApproval(
  runtime: Surroundings,
  facts: NoticeFacts,
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  const { err } = runtime.terminal
  if (!isInteractive(runtime)) {
    await err.write(formatNotice(facts, err.columns))
    return undefined
  }
  const keys = await runtime.stdin.keys()
  const close = () => keys.close()
  signal.addEventListener('abort', close)
  try {
    await forgetTyped(keys)
    if (signal.aborted) return undefined
    const question = { keys, runtime, request: facts.request }
    const early = await showAll(question, formatRequest(facts, err.columns), signal)
    // The keys that led to the end are no answer either.
    await forgetTyped(keys)
    if (early !== undefined || signal.aborted) return await finish(question, early, signal)
    const { questions } = facts.request
    if (questions !== undefined) return await readAnswers(question, questions, signal)
    await err.write(err.style('bold', formatQuestion(facts.request)))
    return await readAnswer(question, signal)
  } finally {
    signal.removeEventListener('abort', close)
    keys.close()
  }
}

async function forgetTyped(keys: KeyReader): Promise<void> {
  await delay(TYPED_AHEAD_MS)
  keys.clear()
}

/**
 * Shows all lines, page by page. Returns an answer that the user gives before the end. A program such as `less` is not used:
 * drover would not know whether its user has reached the end.
 */
async function showAll(
  { keys, runtime }: Asking,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<'deny' | 'cancel' | undefined> {
  const { err } = runtime.terminal
  let shown = 0
  for (let step: PagerKey | undefined = 'page'; ; ) {
    const next = shown + (step === 'page' ? pageHeight(err) : 1)
    await err.write(`${lines.slice(shown, next).join('\n')}\n`)
    shown = next
    if (shown >= lines.length) return undefined
    await err.write(err.style('bold', formatMore({ shown, total: lines.length }, err.columns)))
    step = await nextStep(keys, signal)
    if (step !== 'page' && step !== 'line') return step
    await err.write(err.canRedraw ? CLEAR_LINE : '\n')
  }
}

async function nextStep(keys: KeyReader, signal: AbortSignal): Promise<PagerKey | undefined> {
  for (;;) {
    const step = toPagerKey(await keys.next())
    if (signal.aborted) return undefined
    if (step !== undefined) return step
  }
}

type Asking = { keys: KeyReader; runtime: Surroundings; request: ApprovalRequest }

/** One line for each question. Without an answer to one, the agent gets none. */
async function readAnswers(
  asking: Asking,
  questions: readonly AgentQuestion[],
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  const { err } = asking.runtime.terminal
  const answers: string[][] = []
  while (answers.length < questions.length) {
    const question = questions[answers.length] as AgentQuestion
    await err.write(err.style('bold', formatAnswerPrompt(question, answers.length)))
    const line = await readLine(asking, signal)
    if (line === 'cancel' || line === undefined) return await finish(asking, line ?? 'deny', signal)
    const answer = toAnswer(line.text, question)
    if (answer.length === 0 && question.is_optional !== true) return await finish(asking, 'deny', signal)
    const problem = problemOf(question, answer)
    if (problem === undefined) answers.push(answer)
    else await err.write(`This question ${toRevealed(problem)}.\n`)
  }
  return { decision: 'allow', answers }
}

function formatAnswerPrompt(agentQuestion: AgentQuestion, at: number) {
  const { options, takes_several: takesSeveral, takes_text: takesText } = agentQuestion
  const number = takesSeveral ? `numbers from 1 to ${options.length}, with commas` : `1 to ${options.length}`
  const how = options.length === 0 ? 'a text' : takesText === true ? `${number}, or a text` : number
  return `Answer ${at + 1} (${how}; Enter = no answer): `
}

/** Numbers are those of the options. Everything else is a text. */
function toAnswer(text: string, { options, takes_several: takesSeveral }: AgentQuestion): string[] {
  const given = text.trim()
  if (given === '') return []
  const words = takesSeveral ? given.split(',').map((word) => word.trim()) : [given]
  const labels = words.map((word) => (/^[0-9]{1,3}$/.test(word) ? options[Number(word) - 1]?.label : undefined))
  return labels.every((label) => label !== undefined) ? labels : [given]
}

function toLeave(key: Key | undefined): ApprovalAnswer | undefined {
  if (key === undefined || key.name === 'escape') return 'deny'
  return key.isCtrl ? CTRL_ANSWERS[key.name] : undefined
}

/** What is typed until Enter, shown as it is typed. Undefined: Esc, Ctrl-D, the end of the input, or the signal. */
async function readLine(asking: Asking, signal: AbortSignal): Promise<{ text: string } | 'cancel' | undefined> {
  const { keys, runtime } = asking
  const { err } = runtime.terminal
  for (let text = ''; ; ) {
    const key = await keys.next()
    const left = signal.aborted ? 'deny' : toLeave(key)
    if (left !== undefined || key === undefined) return left === 'cancel' ? left : undefined
    if (key.name === 'return' || key.name === 'enter') {
      await err.write('\n')
      return { text }
    }
    if (key.name === 'backspace' && text !== '') {
      text = [...text].slice(0, -1).join('')
      await err.write('\b \b')
    }
    text += key.text
    await err.write(key.text)
  }
}

async function readAnswer(question: Asking, signal: AbortSignal): Promise<ApprovalReply | undefined> {
  for (;;) {
    const key = await question.keys.next()
    const answer = signal.aborted ? undefined : toApprovalAnswer(key, question.request)
    if (answer !== undefined || signal.aborted) return await finish(question, answer, signal)
  }
}

async function finish(
  { runtime, request }: Asking,
  answer: ApprovalAnswer | undefined,
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  const given = signal.aborted ? undefined : answer
  const isNone = given === undefined || (given === 'deny' && request.questions !== undefined)
  await runtime.terminal.err.write(`→ ${isNone ? '(no answer)' : ANSWER_WORDS[given]}\n`)
  // While keys are read, the terminal does not send the signal itself.
  if (given === 'cancel') process.kill(process.pid, 'SIGINT')
  return given === undefined || given === 'cancel' ? undefined : { decision: given }
}

/** Rows for the question, or for the line that says that more follows. */
const ROWS_BELOW = 2

/** How many lines may be added at once: none of them scrolls away before the next key. */
export function pageHeight({ rows }: { rows: number }): number {
  return Math.max(1, rows - ROWS_BELOW)
}

/** It fits into one row, so that it can be erased. */
export function formatMore({ shown, total }: { shown: number; total: number }, columns: number): string {
  return cutToColumns(`-- ${shown} of ${total} lines; Space = next page, Enter = next line, n = no -- `, columns - 1)
}

type PagerKey = 'page' | 'line' | 'deny' | 'cancel'

/** Undefined: the key means nothing here. No key allows anything before the end was shown. The end of the input denies. */
export function toPagerKey(key: Key | undefined): PagerKey | undefined {
  if (key === undefined) return 'deny'
  return key.isCtrl ? CTRL_STEPS[key.name] : (STEPS[key.name] ?? STEPS[key.text.toLowerCase()])
}

const CTRL_STEPS: Readonly<Record<string, PagerKey>> = { c: 'cancel', d: 'deny' }
const STEPS: Readonly<Record<string, PagerKey>> = {
  space: 'page',
  pagedown: 'page',
  return: 'line',
  enter: 'line',
  down: 'line',
  n: 'deny',
  escape: 'deny',
}

type Asked = { backend: Backend; request: ApprovalRequest }

/**
 * The tool, what it would do, and why it asks: all of it, whatever its length. No line is wider than the terminal, which
 * would continue it without a bar.
 */
export function formatRequest({ backend, request }: Asked, columns: number): string[] {
  const { tool_name: tool, reason, questions } = request
  const split = (text: string) => splitSafely(text, columns - BAR.length)
  const withBar = (line: string) => `${BAR}${line}`
  const splitOurs = (text: string) => split(text).map((line, at) => (at === 0 ? line : withBar(line)))
  return [
    ...splitOurs(questions === undefined ? `${backend} wants to use ${toRevealedLine(tool)}:` : `${backend} asks:`),
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

type ApprovalAnswer = ApprovalReply['decision'] | 'cancel'

/** Undefined: the key means nothing. The end of the input denies. */
export function toApprovalAnswer(key: Key | undefined, { choices }: ApprovalRequest): ApprovalAnswer | undefined {
  if (key === undefined || key.name === 'escape' || key.isCtrl) return toLeave(key)
  const answer = ANSWERS[key.text.toLowerCase()]
  return answer !== undefined && choices.includes(answer) ? answer : undefined
}

const ANSWERS: Readonly<Record<string, ApprovalReply['decision']>> = { y: 'allow', a: 'allow_session', n: 'deny' }
const CTRL_ANSWERS: Readonly<Record<string, ApprovalAnswer>> = { c: 'cancel', d: 'deny' }

const ANSWER_WORDS: Readonly<Record<ApprovalAnswer, string>> = {
  allow: 'yes',
  allow_session: 'yes, for the rest of the session',
  deny: 'no',
  cancel: '^C',
}

type NoticeFacts = Asked & { executionId: string; socket: string; timeoutSecs: number }

/** For a user who cannot be asked: all that the agent waits for, and the command that decides. */
export function formatNotice(facts: NoticeFacts, columns: number): string {
  const { request, executionId, socket, timeoutSecs } = facts
  const path = `/api/v1/executions/${executionId}/approvals/${request.approval_id}`
  const { questions } = request
  const body = questions === undefined ? '' : `,"answers":[${questions.map(() => '["…"]').join()}]`
  return [
    `drover: an agent waits for ${questions === undefined ? 'a decision' : 'an answer'}:`,
    ...formatRequest(facts, columns),
    questions === undefined
      ? `drover: without one it is denied after ${timeoutSecs} s. To allow it (or "deny" it), run:`
      : `drover: without one it continues after ${timeoutSecs} s. To answer, run:`,
    `  curl --unix-socket '${socket}' -H 'content-type: application/json' -d '{"decision":"allow"${body}}' http://localhost${path}`,
    '',
  ].join('\n')
}
