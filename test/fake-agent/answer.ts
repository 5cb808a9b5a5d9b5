/** The answer of a turn: the demo agent's canned one, and what the script puts in its place. */
import {
  type AgentName,
  type DemoUsage,
  estimateUsage,
  planAnswer,
  type Reply,
  toWords,
} from '../../src/demo/demo-answer.ts'
import type { ApiFailure, ToolOutcome } from './dialect.ts'
import type { Script } from './script.ts'

export type ScriptedAnswer = { replies: readonly ScriptedReply[]; failure?: ApiFailure; usage: DemoUsage }

export type ScriptedReply = { thinking?: string; chunks: readonly string[]; call?: ScriptedCall }

/** Without an outcome the command really runs. */
export type ScriptedCall = { command: string; outcome?: ToolOutcome }

const DENIED: ToolOutcome = { output: 'This command requires approval', exitCode: 1, isDenied: true }

type Turn = { agent: AgentName; prompt: string; resumeId?: string | undefined; script: Script }

export function planScriptedAnswer({ script, ...turn }: Turn): ScriptedAnswer {
  const canned = planAnswer(turn)
  const thinking = canned.replies[0]?.thinking
  const replies = toReplies(canned.replies, script)
  const failure = script.fail === undefined ? canned.failure : toFailure(script.fail, script)
  return {
    replies: replies.map((reply, at) => (at === 0 && thinking !== undefined ? { ...reply, thinking } : reply)),
    ...(failure && { failure }),
    usage: { ...estimateUsage(turn.prompt, replies, thinking ?? ''), ...script.usage },
  }
}

function toReplies(canned: readonly Reply[], script: Script): ScriptedReply[] {
  const last = { chunks: script.text ?? canned.at(-1)?.chunks ?? [] }
  if (script.tool !== undefined) {
    const call = { command: script.tool, ...(script.toolDenied && { outcome: DENIED }) }
    return [{ chunks: toWords('I will run a command.'), call }, last]
  }
  const calls = canned.flatMap(({ chunks, call }) =>
    call === undefined ? [] : [{ chunks, call: { ...call, outcome: { ...call.result, isDenied: false } } }],
  )
  return [...calls, last]
}

function toFailure(status: ApiFailure['status'], { failText, retryAfterSecs }: Script): ApiFailure {
  return { status, message: failText ?? 'the script of the fake agent says so', retryAfterSecs }
}
