/**
 * drover's demo agent: a program that prints a canned answer as claude, codex or gemini would, and calls no model.
 * `--demo` starts it as `node demo-agent.ts [--write] <agent> <arguments of that agent>` with the prompt on stdin. With `--write` it
 * also writes a file, so that a comparison in worktrees has something to show and to keep.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { callFunctions, findFunctionServer } from './call-functions.ts'
import { DemoClaudeOutput } from './claude-output.ts'
import { DemoCodexOutput } from './codex-output.ts'
import {
  AGENT_NAMES,
  type AgentName,
  type DemoAnswer,
  estimateUsage,
  planAnswer,
  type Reply,
  type TurnOutput,
} from './demo-answer.ts'
import { planAction, planFile } from './driven-action.ts'
import { DemoGeminiOutput } from './gemini-output.ts'
import { sampleOf } from './sample-value.ts'

const OUTPUTS = { claude: DemoClaudeOutput, codex: DemoCodexOutput, gemini: DemoGeminiOutput }
const USAGE_EXIT_CODE = 2
/** The answer appears word by word, as it does with a model. The variable sets another pace, for scripts that do not wait. */
// biome-ignore lint/style/noProcessEnv: the entry of a program reads its environment
const WORD_MS = Number(process.env['DEMO_AGENT_WORD_MS'] ?? 15)

const words = process.argv.slice(2)
const doesWrite = words[0] === '--write'
const [name = '', ...argv] = doesWrite ? words.slice(1) : words
// The reader has closed the output.
process.stdout.on('error', () => process.exit(1))
if (isAgentName(name)) await answer(readRequest({ agent: name, argv, stdin: await text(process.stdin) }))
else {
  process.stderr.write(`usage: demo-agent.ts [--write] ${AGENT_NAMES.join('|')} [arguments of that agent]\n`)
  process.exitCode = USAGE_EXIT_CODE
}

async function answer(request: DemoRequest): Promise<void> {
  // Only `gemini --delete-session` has no prompt. The demo stores no sessions, so there is nothing to delete.
  if (request.prompt === '') return
  if (request.functions !== undefined) await callFunctions(request.prompt, request.functions)
  const driven = planAction(request.prompt)
  const { schema } = request
  const text = schema === undefined ? driven?.text : JSON.stringify(sampleOf(JSON.parse(schema)))
  const { replies, failure, usage } = text === undefined ? planAnswer(request) : toAnswer(request.prompt, text)
  const file = doesWrite && failure === undefined ? planFile(request.prompt) : driven?.file
  if (file !== undefined) writeFileSync(file.path, file.content)
  const output = new OUTPUTS[request.agent]({ ...request, sessionId: request.resumeId ?? randomUUID() })
  print(output.begin(request.prompt))
  if (failure !== undefined) {
    const failed = output.fail(failure)
    print(failed.output)
    process.exitCode = failed.exitCode
    return
  }
  for (const reply of replies) await printReply(output, reply)
  print(output.finish(usage))
}

/** In lines, because an outcome has many words. */
function toAnswer(prompt: string, text: string): DemoAnswer {
  const replies = [{ chunks: text.split(/(?<=\n)/) }]
  return { replies, usage: estimateUsage(prompt, replies, '') }
}

async function printReply(output: TurnOutput, { thinking, chunks, call }: Reply): Promise<void> {
  if (thinking !== undefined) print(output.thinking?.(thinking))
  for (const chunk of chunks) {
    print(output.word?.(chunk))
    await delay(WORD_MS)
  }
  print(output.textEnd?.(chunks.join('')))
  if (call === undefined) return
  print(output.toolCall(call.command))
  print(output.toolResult(call.command, call.result))
}

function print(lines = ''): void {
  process.stdout.write(lines)
}

function isAgentName(word: string): word is AgentName {
  return AGENT_NAMES.some((each) => each === word)
}

type DemoRequest = {
  agent: AgentName
  prompt: string
  model: string
  resumeId?: string | undefined
  hasPartialMessages: boolean
  /** JSON Schema of the answer. */
  schema: string | undefined
  /** How the server of the functions of a client is started. */
  functions: ReturnType<typeof findFunctionServer>
}

type Input = { agent: AgentName; argv: readonly string[]; stdin: string }

/** Reads what the demo needs. It ignores every other argument: drover has checked them, and passes the prompt on stdin. */
export function readRequest({ agent, argv, stdin }: Input): DemoRequest {
  return {
    agent,
    prompt: argv.includes('--input-format') ? textOfMessages(stdin) : stdin,
    model: flagValue(argv, '--model') ?? 'demo',
    resumeId: agent === 'codex' ? codexResumeId(argv) : flagValue(argv, '--resume'),
    hasPartialMessages: argv.includes('--include-partial-messages'),
    // biome-ignore lint/style/noProcessEnv: the entry of a program reads its environment
    functions: findFunctionServer(agent, argv, process.env['GEMINI_CLI_HOME'] ?? process.env['HOME'] ?? ''),
    schema: agent === 'codex' ? (readSchemaFile(argv) ?? schemaIn(stdin)) : flagValue(argv, '--json-schema'),
  }
}

/** `--flag value` or `--flag=value`; the last one counts. */
function flagValue(argv: readonly string[], flag: string): string | undefined {
  const at = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`))
  return argv[at] === flag ? argv[at + 1] : argv[at]?.slice(flag.length + 1)
}

function readSchemaFile(argv: readonly string[]): string | undefined {
  const path = flagValue(argv, '--output-schema')
  return path === undefined ? undefined : readFileSync(path, 'utf8')
}

/** One that the model service would refuse is in the prompt. */
function schemaIn(prompt: string): string | undefined {
  return /It must match this JSON Schema:\n(\{.*\})\s*$/s.exec(prompt)?.[1]
}

/** Codex is called as `codex exec … resume <id> -`. */
function codexResumeId(argv: readonly string[]): string | undefined {
  return argv.at(-3) === 'resume' ? argv.at(-2) : undefined
}

/** Claude gets a prompt with `/`, `@` or attachments as a JSON message (`--input-format stream-json`). */
function textOfMessages(stdin: string): string {
  const { message } = JSON.parse(stdin) as { message: { content: readonly { text?: string }[] } }
  return message.content.map(({ text = '' }) => text).join('')
}
