/** Asks the user at the terminal about what an agent wants to do. Without a terminal it says how to decide elsewhere. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ApprovalDecision, ApprovalRequest } from '../../agents/adapter/agent.ts'
import type { Runtime } from '../command.ts'
import type { KeyReader } from '../key-reader.ts'
import {
  ANSWER_WORDS,
  answerOf,
  formatNotice,
  formatQuestion,
  formatRequest,
  type NoticeFacts,
} from './approval-question.ts'
import { isInteractive } from './ask-user.ts'

/** Keys that were typed before the question appears are not an answer to it. They arrive within this time. */
const TYPED_AHEAD_MS = 50

type Surroundings = Pick<Runtime, 'stdin' | 'terminal'>

/** Undefined if the user does not decide here. `signal` takes the question back. */
export async function askApproval(
  runtime: Surroundings,
  facts: NoticeFacts,
  signal: AbortSignal,
): Promise<ApprovalDecision | undefined> {
  const { err } = runtime.terminal
  if (!isInteractive(runtime)) {
    await err.write(formatNotice(facts, err.columns))
    return undefined
  }
  const keys = await runtime.stdin.keys()
  const close = () => keys.close()
  signal.addEventListener('abort', close)
  try {
    await delay(TYPED_AHEAD_MS)
    keys.clear()
    if (signal.aborted) return undefined
    await err.write(
      `${formatRequest(facts, err.columns).join('\n')}\n${err.style('bold', formatQuestion(facts.request))}`,
    )
    return await readAnswer({ keys, runtime, request: facts.request }, signal)
  } finally {
    signal.removeEventListener('abort', close)
    keys.close()
  }
}

type Question = { keys: KeyReader; runtime: Surroundings; request: ApprovalRequest }

async function readAnswer(
  { keys, runtime, request }: Question,
  signal: AbortSignal,
): Promise<ApprovalDecision | undefined> {
  const { err } = runtime.terminal
  for (;;) {
    const key = await keys.next()
    const answer = signal.aborted ? undefined : answerOf(key, request)
    if (answer === undefined && !signal.aborted) continue
    await err.write(`→ ${answer === undefined ? '(no answer)' : ANSWER_WORDS[answer]}\n`)
    // While keys are read, the terminal does not send the signal itself.
    if (answer === 'cancel') process.kill(process.pid, 'SIGINT')
    return answer === undefined || answer === 'cancel' ? undefined : { decision: answer }
  }
}
