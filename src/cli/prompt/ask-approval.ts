/** Asks the user at the terminal about what an agent wants to do. Without a terminal it says how to decide elsewhere. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ApprovalReply, ApprovalRequest } from '../../agents/adapter/agent.ts'
import type { Runtime } from '../command.ts'
import type { KeyReader } from '../key-reader.ts'
import { formatMore, type PagerKey, pageHeight, toPagerKey } from './approval-pages.ts'
import {
  ANSWER_WORDS,
  type ApprovalAnswer,
  formatNotice,
  formatQuestion,
  formatRequest,
  type NoticeFacts,
  toApprovalAnswer,
} from './approval-question.ts'
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
  { keys, runtime }: Question,
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

type Question = { keys: KeyReader; runtime: Surroundings; request: ApprovalRequest }

async function readAnswer(question: Question, signal: AbortSignal): Promise<ApprovalReply | undefined> {
  for (;;) {
    const key = await question.keys.next()
    const answer = signal.aborted ? undefined : toApprovalAnswer(key, question.request)
    if (answer !== undefined || signal.aborted) return await finish(question, answer, signal)
  }
}

async function finish(
  { runtime }: Question,
  answer: ApprovalAnswer | undefined,
  signal: AbortSignal,
): Promise<ApprovalReply | undefined> {
  const given = signal.aborted ? undefined : answer
  await runtime.terminal.err.write(`→ ${given === undefined ? '(no answer)' : ANSWER_WORDS[given]}\n`)
  // While keys are read, the terminal does not send the signal itself.
  if (given === 'cancel') process.kill(process.pid, 'SIGINT')
  return given === undefined || given === 'cancel' ? undefined : { decision: given }
}
