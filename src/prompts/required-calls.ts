/**
 * What the client requires of a turn with its functions (`tool_choice`). No agent can be made to call one, so it is told to, and what
 * it has done is checked. If it has not, it is told once more. An agent that takes a schema for its answer needs no call, if only one
 * function can be meant: its answer is the arguments.
 */
import type { Agent, Usage } from '../agents/adapter/agent.ts'
import type { ClientTool, ToolChoice, ToolResults } from '../agents/adapter/client-tool.ts'
import { addUsage, isNothing, NO_USAGE } from '../agents/adapter/token-usage.ts'
import { TOOL_SERVER } from '../agents/adapter/tool-server-place.ts'
import { type ToolRequest, toToolRequest } from '../agents/client-tools/tool-request.ts'
import { findSchemaProblem } from '../agents/schema/check-schema.ts'
import { toolChoiceUnmet } from './faults.ts'
import { newCallId, quoteCall, quoteReply } from './function-calls.ts'
import type { PromptStream } from './prompt-context.ts'
import type { PromptEvent } from './prompt-event.ts'
import type { OfferedTools, PromptRequest } from './prompt-request.ts'
import { errorFields, type PromptResult, toPromptStatus } from './prompt-result.ts'

export class RequiredCalls {
  /** The answer of the agent is the arguments of this function. */
  readonly #forced: ClientTool | undefined
  #choice: ToolChoice
  #hasCalled = false
  /** What was called before, and what the client answered. */
  readonly #quotes: string[] = []
  /** By the first turn, if there is a second one. */
  #used = NO_USAGE

  constructor({ tools, choice }: OfferedTools, { abilities }: Pick<Agent, 'abilities'>) {
    this.#choice = choice
    this.#forced = abilities.output_schema ? findForced(tools, choice) : undefined
  }

  /** The request that the agent gets. */
  prepare(request: PromptRequest): PromptRequest {
    const forced = request.output_schema === undefined ? this.#forced : undefined
    if (forced === undefined) return { ...request, instruction: instructionFor(this.#choice) }
    const { clientTools: _, ...rest } = request
    return { ...rest, output_schema: toSchema(forced), instruction: askForArguments(forced) }
  }

  /** Lets the client answer calls. What it requires of the next part goes to the agent with the last result. */
  async ask(asked: ToolRequest, answer: (asked: ToolRequest) => Promise<ToolResults>): Promise<ToolResults> {
    this.#hasCalled = true
    const { replies, choice } = await answer(this.counted(asked))
    const names = asked.calls.map(({ tool_name: name }) => name)
    this.#quotes.push(...asked.calls.map(({ tool_name: name, arguments: input }) => quoteCall(name, input)))
    this.#quotes.push(...replies.map((reply, at) => quoteReply(names[at] ?? '', reply)))
    this.#choice = choice
    this.#hasCalled = false
    const text = instructionFor(choice)
    const added = text === '' ? [] : [{ type: 'text' as const, text }]
    const isLast = (at: number) => at === replies.length - 1
    return {
      choice,
      replies: replies.map((each, at) => (isLast(at) ? { ...each, content: [...each.content, ...added] } : each)),
    }
  }

  /** Why the result is not what the client requires. Undefined: it is, or trying again does not help. */
  problemWith({ error, error_code: code, ...result }: PromptResult): string | undefined {
    if (this.#forced !== undefined) return code === 'agent_output_invalid' ? error : undefined
    if (error !== undefined || toPromptStatus(result) !== 'completed') return undefined
    return this.#choice.must && !this.#hasCalled ? 'it answered without a call' : undefined
  }

  /** What a second turn adds to the prompt. */
  remind({ output, token_usage: used }: PromptResult, problem: string): string {
    this.#used = used
    const quoted = [...this.#quotes, ...(output === '' ? [] : [`[your answer]\n${output}`])]
    const again = this.#forced === undefined ? instructionFor(this.#choice) : askForArguments(this.#forced)
    return `\n\n[So far in this turn]\n${quoted.join('\n\n')}\n\nThat was not accepted: ${problem}.${again}`
  }

  /** With what the first turn has used. */
  counted<T extends { token_usage?: Usage | undefined }>(counts: T): T {
    return isNothing(this.#used)
      ? counts
      : { ...counts, token_usage: addUsage(this.#used, counts.token_usage ?? NO_USAGE) }
  }

  /** The call that the answer is. */
  toCall({ output, token_usage: usage }: PromptResult): ToolRequest | undefined {
    if (this.#forced === undefined) return undefined
    return toToolRequest([{ name: this.#forced.name, input: output }], { newCallId, usage })
  }
}

function findForced(tools: readonly ClientTool[], { must, only }: ToolChoice): ClientTool | undefined {
  const allowed = tools.filter(({ name }) => only?.includes(name) !== false)
  const [first] = allowed
  if (!must || first === undefined || allowed.length > 1) return undefined
  return findSchemaProblem(toSchema(first)) === undefined ? first : undefined
}

function toSchema({ parameters }: ClientTool) {
  return { type: 'object', ...parameters }
}

function instructionFor({ must, only }: ToolChoice): string {
  if (!must) return ''
  const which = only === undefined ? 'at least one tool' : `one of these tools (${only.join(', ')})`
  return `\n\nCall ${which} of the MCP server "${TOOL_SERVER}" now. An answer without such a call is not accepted.`
}

function askForArguments({ name, description }: ClientTool): string {
  const purpose = description === undefined ? '' : ` The function: ${description}`
  return `\n\nAnswer with the arguments for a call of the function ${name}, as JSON.${purpose}`
}

/** `again` gets what the second turn adds to the prompt, and the result of the first one. */
export async function* runUntilCalled(
  first: PromptStream,
  calls: RequiredCalls,
  again: (reminder: string, result: PromptResult) => Promise<PromptStream>,
): PromptStream {
  const one = yield* passOn(first, calls)
  const problem = calls.problemWith(one.result)
  if (problem === undefined) return yield* settle(one, calls)
  if (one.done !== undefined)
    yield { ...one.done, type: 'progress', content: { stage: 'tool_choice', message: problem } }
  const two = yield* passOn(await again(calls.remind(one.result, problem), one.result), calls, one.result)
  const unmet = calls.problemWith(two.result)
  if (unmet === undefined) return yield* settle(two, calls)
  const { message, code } = toolChoiceUnmet({ backend: two.result.backend, problem: unmet })
  return yield* settle({ ...two, result: { ...two.result, ...errorFields(message, code) } }, calls)
}

type Attempt = { result: PromptResult; done: Extract<PromptEvent, { type: 'done' }> | undefined }

/** Holds `done` back. */
async function* passOn(
  run: PromptStream,
  calls: RequiredCalls,
  before?: PromptResult,
): AsyncGenerator<PromptEvent, Attempt, undefined> {
  let done: Attempt['done']
  try {
    let next = await run.next()
    for (; next.done !== true; next = await run.next()) {
      const { value } = next
      if (value.type === 'done') done = value
      else if (value.type === 'tool_request') yield { ...value, content: calls.counted(value.content) }
      else if (value.type !== 'init' || before === undefined) yield value
    }
    const { cost_usd: cost, ...result } = calls.counted(next.value)
    return { done, result: { ...result, ...(cost !== undefined && { cost_usd: cost + (before?.cost_usd ?? 0) }) } }
  } finally {
    await run.return(undefined as never)
  }
}

async function* settle({ result, done }: Attempt, calls: RequiredCalls): PromptStream {
  const call = toPromptStatus(result) === 'completed' && done !== undefined ? calls.toCall(result) : undefined
  if (call !== undefined && done !== undefined) yield { ...done, type: 'tool_request', content: call }
  if (done !== undefined) yield done
  return result
}
