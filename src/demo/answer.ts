/** What the demo agent answers: it reads the prompt for a few words, and does nothing else with it. */
import type { AgentName } from './agent-name.ts'
import type { FailureStatus, Script } from './script.ts'
import { estimateTokens, type Usage } from './usage.ts'

export type Answer = {
  /** One per request to the model; all but the last end with a tool call. */
  replies: readonly Reply[]
  failure?: Failure
  usage: Usage
}

export type Reply = { thinking?: string; chunks: readonly string[]; call?: ToolCall }

export type ToolCall = {
  command: string
  /** Without it the command really runs. */
  pretended?: ToolResult
}

export type ToolResult = { output: string; exitCode: number; isDenied: boolean }

/** What the upstream model is said to have refused with. */
export type Failure = { status: FailureStatus; message: string }

const QUOTE_LENGTH = 80
const PRETENDED_COMMAND = 'echo "hello from drover"'
const PRETENDED_RESULT: ToolResult = { output: 'hello from drover', exitCode: 0, isDenied: false }
const DENIED_RESULT: ToolResult = { output: 'This command requires approval', exitCode: 1, isDenied: true }
const THINKING = 'Whatever a model would think here, this demo agent does not.'

type Turn = { agent: AgentName; prompt: string; resumeId?: string | undefined; script: Script }

export function planAnswer(turn: Turn): Answer {
  const { prompt, script } = turn
  const call = planCall(prompt, script)
  const last: Reply = { chunks: script.text ?? toWords(finalText(turn, call)) }
  const replies = call === undefined ? [last] : [{ chunks: toWords(announce(call)), call }, last]
  const thinking = /\bthink/i.test(prompt) ? THINKING : undefined
  const [first = last, ...others] = replies
  const failure = planFailure(prompt, script)
  return {
    replies: [thinking === undefined ? first : { ...first, thinking }, ...others],
    ...(failure && { failure }),
    usage: { ...estimateUsage(prompt, replies, thinking ?? ''), ...script.usage },
  }
}

function planCall(prompt: string, script: Script): ToolCall | undefined {
  if (script.tool !== undefined) {
    return script.toolDenied ? { command: script.tool, pretended: DENIED_RESULT } : { command: script.tool }
  }
  return /\brun (a|the|this|some) command\b/i.test(prompt)
    ? { command: PRETENDED_COMMAND, pretended: PRETENDED_RESULT }
    : undefined
}

function announce(call: ToolCall): string {
  return call.pretended === PRETENDED_RESULT ? 'I will pretend to run a command.' : 'I will run a command.'
}

/** Only as an order, alone on its line or after a "please": a prompt about failing tests is a prompt like any other. */
function planFailure(prompt: string, script: Script): Failure | undefined {
  if (script.fail !== undefined) return { status: script.fail, message: 'the script of the demo agent says so' }
  return /^[ \t]*fail[.!]?[ \t\r]*$/im.test(prompt) || /\bplease,? fail\b/i.test(prompt)
    ? { status: 500, message: 'the demo agent fails because the prompt asks it to' }
    : undefined
}

function finalText(turn: Turn, call: ToolCall | undefined): string {
  return [
    `This is drover's built-in demo agent, standing in for ${turn.agent}. No model was called.`,
    turn.resumeId === undefined ? '' : `It continues session ${turn.resumeId}.`,
    call?.pretended === PRETENDED_RESULT ? 'No command was run either: the call and its output are made up.' : '',
    `Your prompt arrived: "${quote(turn.prompt)}"`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

function quote(prompt: string): string {
  const whole = prompt.trim()
  // A prompt may have megabytes. No letter takes more than two code units.
  const letters = [...whole.slice(0, 2 * QUOTE_LENGTH + 1).replace(/\s+/g, ' ')]
  const head = letters.slice(0, QUOTE_LENGTH).join('')
  return whole.length > 2 * QUOTE_LENGTH + 1 || letters.length > QUOTE_LENGTH ? `${head}…` : head
}

/** Words with the space before them, so that they join to the same text. */
function toWords(text: string): string[] {
  return text.match(/\s*\S+/g) ?? []
}

/** Every further request sends the prompt again, and finds it in the cache. */
function estimateUsage(prompt: string, replies: readonly Reply[], thinking: string): Usage {
  const tokens = estimateTokens(prompt)
  const said = replies.map(({ chunks, call }) => chunks.join('') + (call?.command ?? '')).join('')
  return {
    input: tokens * replies.length,
    cached: tokens * (replies.length - 1),
    output: estimateTokens(said),
    reasoning: estimateTokens(thinking),
  }
}
