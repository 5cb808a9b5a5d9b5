/** One turn of the demo agent: what the prompt asks for, printed as the agent would. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { callFunction, sampleOf } from './call-function.ts'
import { DemoClaudeOutput } from './claude-output.ts'
import { DemoCodexOutput } from './codex-output.ts'
import {
  type AgentName,
  type Asked,
  CALL,
  type DemoAnswer,
  type DemoFailure,
  type DemoFunctionCall,
  estimateUsage,
  inPieces,
  planAnswer,
  type Reply,
  readAsked,
  requiredCall,
  type TurnOutput,
} from './demo-answer.ts'
import { type DrivenAction, planAction, planFile } from './driven-action.ts'
import { DemoGeminiOutput } from './gemini-output.ts'

const OUTPUTS = { claude: DemoClaudeOutput, codex: DemoCodexOutput, gemini: DemoGeminiOutput }

/** What the user of the agent says about a command. */
export type Permit = { isAllowed: boolean; message?: string | undefined }

export type DemoTurnPort = {
  print(lines: string): void
  /** The session of a process that stays up. */
  sessionId?: string
  /** Aborted when the turn is to end. */
  signal?: AbortSignal
  /** Undefined: no one can be asked. */
  ask?: ((output: DemoClaudeOutput, command: string) => Promise<Permit>) | undefined
  /** Called when the turn has begun. */
  onBegin?: () => void
}

export type TurnSettings = {
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  doesWrite: boolean
  wordMs: number
}

/** Returns the exit code of an agent that ends with the turn. */
export async function takeTurn(request: DemoRequest, settings: TurnSettings, port: DemoTurnPort): Promise<number> {
  const { agent, prompt } = request
  const output = new OUTPUTS[agent]({ ...request, sessionId: port.sessionId ?? request.resumeId ?? randomUUID() })
  port.print(output.begin(prompt))
  port.onBegin?.()
  try {
    return await new Turn({ request, settings, port, output }).take()
  } catch (error) {
    if (port.signal?.aborted !== true || !(output instanceof DemoClaudeOutput)) throw error
    port.print(output.interrupt())
    return 1
  }
}

type TurnParts = { request: DemoRequest; settings: TurnSettings; port: DemoTurnPort; output: TurnOutput }

class Turn {
  readonly #request: DemoRequest
  readonly #settings: TurnSettings
  readonly #port: DemoTurnPort
  readonly #output: TurnOutput
  readonly #driven: DrivenAction | undefined
  readonly #asked: Asked

  constructor({ request, settings, port, output }: TurnParts) {
    this.#request = request
    this.#settings = settings
    this.#port = port
    this.#output = output
    this.#driven = planAction(request.prompt)
    this.#asked = readAsked(this.#driven === undefined ? request.prompt : (this.#driven.goal ?? ''))
  }

  async take(): Promise<number> {
    const { waitMs, failure, failsLate } = this.#asked
    if (waitMs > 0) await this.#wait(waitMs)
    if (failure !== undefined && !failsLate) return this.#fail(failure)
    this.#writeFile()
    const { replies, usage } = this.#plan(this.#driven === undefined ? await this.#act() : [])
    for (const reply of replies) await this.#print(reply)
    if (failure !== undefined) return this.#fail(failure)
    this.#port.print(this.#output.finish(usage))
    return 0
  }

  #fail(failure: DemoFailure): number {
    const { output, exitCode } = this.#output.fail(failure)
    this.#port.print(output)
    return exitCode
  }

  #writeFile(): void {
    const file = this.#settings.doesWrite ? planFile(this.#request.prompt) : this.#driven?.file
    if (file === undefined) return
    if (file.addition !== undefined && existsSync(file.path)) appendFileSync(file.path, file.addition)
    else writeFileSync(file.path, file.content)
  }

  /** Sentences about what has happened. */
  async #act(): Promise<string[]> {
    return [...(await this.#callFunctions()), ...(await this.#askPermission())]
  }

  /** As long as a call is wanted: what the client answers may require another one. */
  async #callFunctions(): Promise<string[]> {
    const { argv, env } = this.#settings
    const { agent } = this.#request
    const onCall = (call: DemoFunctionCall) => this.#port.print(this.#output.functionCall(call))
    const happened: string[] = []
    let { call: wanted } = this.#asked
    while (wanted !== undefined) {
      const called = await callFunction(wanted, { agent, argv, env, onCall })
      if (called === undefined) return [...happened, `There is no function ${wanted.name ?? 'to call'}.`]
      const { call, result } = called
      this.#port.print(this.#output.functionResult(call, result))
      happened.push(`The function ${call.name} ${result.isError ? 'failed' : 'returned'}: ${result.text}.`)
      wanted = requiredCall(result.text)
    }
    return happened
  }

  async #askPermission(): Promise<string[]> {
    if (!this.#asked.asksPermission) return []
    const { command, result } = CALL
    const { isAllowed, message } = await this.#permit(command)
    const denial = message ?? 'no one can be asked'
    this.#port.print(this.#output.toolResult(command, isAllowed ? result : { output: denial, exitCode: 1 }))
    return isAllowed
      ? ['The command was permitted, and its output is made up.']
      : [`The command was not permitted: ${denial}.`]
  }

  async #permit(command: string): Promise<Permit> {
    this.#port.print(this.#output.toolCall(command))
    const { ask } = this.#port
    if (ask !== undefined && this.#output instanceof DemoClaudeOutput) return await ask(this.#output, command)
    this.#output.noteDenied?.(command)
    return { isAllowed: false }
  }

  #plan(happened: readonly string[]): DemoAnswer {
    const { prompt, schema } = this.#request
    // In lines, because an outcome has many words.
    if (this.#driven !== undefined) return toAnswer(prompt, this.#driven.text.split(/(?<=\n)/))
    const { text = schema === undefined ? undefined : JSON.stringify(sampleOf(JSON.parse(schema))) } = this.#asked
    const answer = planAnswer({ ...this.#request, happened, text })
    const { pieces } = this.#asked
    if (pieces === undefined) return answer
    return { ...answer, replies: answer.replies.map((each) => ({ ...each, chunks: inPieces(each.chunks, pieces) })) }
  }

  async #print({ thinking, chunks, call }: Reply): Promise<void> {
    const { print } = this.#port
    if (thinking !== undefined) print(this.#output.thinking?.(thinking) ?? '')
    for (const chunk of chunks) {
      print(this.#output.word?.(chunk) ?? '')
      await this.#wait(this.#settings.wordMs)
    }
    print(this.#output.textEnd?.(chunks.join('')) ?? '')
    if (call === undefined) return
    print(this.#output.toolCall(call.command))
    print(this.#output.toolResult(call.command, call.result))
  }

  async #wait(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#port.signal })
  }
}

function toAnswer(prompt: string, chunks: readonly string[]): DemoAnswer {
  const replies = [{ chunks }]
  return { replies, usage: estimateUsage(prompt, replies, '') }
}

/** What drover asks of the demo agent, by its arguments and its input. */
type DemoRequest = {
  agent: AgentName
  prompt: string
  model: string
  resumeId?: string | undefined
  hasPartialMessages: boolean
  /** JSON Schema of the answer. */
  schema: string | undefined
}

export type DemoMessage = { message: { content: readonly { text?: string }[] } }

type Input = { agent: AgentName; argv: readonly string[]; stdin: string }

/** Reads what the demo needs. It ignores every other argument: drover has checked them, and passes the prompt on stdin. */
export function readRequest({ agent, argv, stdin }: Input): DemoRequest {
  return {
    agent,
    prompt: argv.includes('--input-format') ? textOfMessages(stdin) : stdin,
    model: flagValue(argv, '--model') ?? 'demo',
    resumeId: agent === 'codex' ? codexResumeId(argv) : flagValue(argv, '--resume'),
    hasPartialMessages: argv.includes('--include-partial-messages'),
    schema: agent === 'codex' ? (readSchemaFile(argv) ?? schemaIn(stdin)) : flagValue(argv, '--json-schema'),
  }
}

/** `--flag value` or `--flag=value`; the last one counts. */
export function flagValue(argv: readonly string[], flag: string): string | undefined {
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
  const { message } = JSON.parse(stdin) as DemoMessage
  return message.content.map(({ text = '' }) => text).join('')
}
