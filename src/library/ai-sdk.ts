/** A provider for the AI SDK: `import { drover } from 'drover/ai-sdk'`. */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { isObject } from '../agents/adapter/json-fields.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import { toConversation } from '../prompts/chat-messages.ts'
import { toTokens } from '../prompts/tokens.ts'
import { createDrover } from './drover.ts'
import { DroverError, throwingDroverErrors } from './drover-error.ts'
import type { PromptEvent, PromptRequest, PromptResult } from './messages.generated.ts'
import { requireNode } from './package.ts'
import type { Drover, PromptOptions, PromptRun } from './types.ts'

requireNode()

/** Settings of a model, for every call of it. */
export type DroverModelSettings = Pick<
  PromptRequest,
  'approval_mode' | 'extra' | 'max_turns' | 'sandbox' | 'sandbox_mode' | 'timeout_secs' | 'workdir'
> & {
  /** The session to continue: its agent knows the conversation, and gets only the messages after its last answer. */
  session?: string | undefined
  /** Whether the conversation is stored as a session; `providerMetadata.drover.session_id` has its id. */
  store?: boolean | undefined
  /** Decides about what the agent asks for, with `approval_mode: 'always'`. */
  onApproval?: PromptOptions['onApproval']
}

/** Creates models of the AI SDK. */
export type DroverProvider = {
  /** `codex`, or `codex/gpt-5` for a model of that agent. */
  (modelId: string, settings?: DroverModelSettings): LanguageModelV4
  /** The same, under the name that the AI SDK uses. */
  languageModel(modelId: string, settings?: DroverModelSettings): LanguageModelV4
}

/** Options of {@link createDroverProvider}. */
export type DroverProviderOptions = {
  /** The drover that runs the prompts. Without it, one is created by the first call, with the settings of the user. */
  drover?: Drover | undefined
}

/**
 * Creates a provider for the AI SDK, with your own drover, which you close, or with one that it creates.
 *
 * @example
 * await using instance = createDrover({ config: { default_backend: 'codex' } })
 * const drover = createDroverProvider({ drover: instance })
 * const { text } = await generateText({ model: drover('codex'), prompt: 'What does this repository do?', maxRetries: 0 })
 */
export function createDroverProvider(options: DroverProviderOptions = {}): DroverProvider {
  let created: Drover | undefined
  const open = () => {
    created ??= options.drover ?? createDrover()
    return created
  }
  const create = (modelId: string, settings: DroverModelSettings = {}) => createModel(modelId, { settings, open })
  return Object.assign(create, { languageModel: create })
}

/** The provider with the settings of the user: `drover('codex')` is a model. */
export const drover: DroverProvider = createDroverProvider()

type ModelParts = { settings: DroverModelSettings; open: () => Drover }

function createModel(modelId: string, parts: ModelParts): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'drover',
    modelId,
    supportedUrls: {},
    doGenerate: async (options) => {
      const call = await toCall(modelId, parts, options)
      const stream = new StreamParts(call)
      const result = await withApiErrors(options, async () => {
        for await (const event of call.run) stream.add(event)
        return await call.run.result
      })
      const reasoning = stream.reasoning()
      return {
        content: [
          ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
          { type: 'text', text: result.output },
        ],
        ...toFinish(result, call),
        response: toResponse(result),
        warnings: [...call.warnings, ...toWarnings(result)],
      }
    },
    doStream: async (options) => {
      const call = await toCall(modelId, parts, options)
      return { stream: toStream(call, options) }
    },
  }
}

type Call = { run: PromptRun; prompt: string; isObject: boolean; warnings: SharedV4Warning[] }

async function toCall(modelId: string, parts: ModelParts, options: LanguageModelV4CallOptions): Promise<Call> {
  const { session, store = false, onApproval, ...settings } = parts.settings
  const [backend = '', ...rest] = modelId.split('/')
  const model = rest.join('/')
  const { prompt, systemPrompt, attachments } = await throwingDroverErrors(async () =>
    toConversation(toMessages(options), undefined, { knowsAnswers: session !== undefined, list: 'prompt' }),
  )
  const request: PromptRequest = {
    ...settings,
    backend,
    prompt,
    ...(attachments !== undefined && { attachments }),
    ...(model !== '' && { model }),
    ...(systemPrompt !== undefined && session === undefined && { system_prompt: systemPrompt }),
    ...toOutputSchema(options),
    ...(session === undefined ? { ephemeral: !store } : { session }),
  }
  const run = parts.open().prompt(request, { signal: options.abortSignal, onApproval })
  return { run, prompt, isObject: request.output_schema !== undefined, warnings: unsupportedIn(options) }
}

/** Thoughts are not sent back to an agent. */
function toMessages({ prompt }: LanguageModelV4CallOptions) {
  return prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.filter(({ type }) => type !== 'reasoning').map(toPart),
  })) as Parameters<typeof toConversation>[0]
}

/** Files become blocks as other vendors have them. Of others than bytes, only texts can be sent. */
function toPart(part: { type: string; data?: unknown; mediaType?: string; filename?: string }): object {
  const { type, data, mediaType, filename } = part
  if (type !== 'file' || !isObject(data)) return part
  if (data['type'] === 'text') return { type: 'text', text: data['text'] }
  const { data: bytes, url } = data
  const title = filename === undefined ? {} : { title: filename }
  if (data['type'] !== 'data') return { type: 'image', source: { type: data['type'], url: String(url) }, ...title }
  const content = typeof bytes === 'string' ? bytes : Buffer.from(bytes as Uint8Array).toString('base64')
  const said = mediaType?.includes('/') && !mediaType.endsWith('*') ? { media_type: mediaType } : {}
  return { type: 'image', source: { type: 'base64', data: content, ...said }, ...title }
}

function toOutputSchema({ responseFormat }: LanguageModelV4CallOptions): Pick<PromptRequest, 'output_schema'> {
  if (responseFormat?.type !== 'json' || responseFormat.schema === undefined) return {}
  return { output_schema: responseFormat.schema as Record<string, unknown> }
}

const UNSUPPORTED = [
  'maxOutputTokens',
  'temperature',
  'stopSequences',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'tools',
] as const satisfies readonly (keyof LanguageModelV4CallOptions)[]

function unsupportedIn(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const given = UNSUPPORTED.filter((name) => {
    const value = options[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
  const details = 'coding agents have no such setting; they use their own tools'
  const settings = given.map((feature) => ({ type: 'unsupported' as const, feature, details }))
  const isAnyJson = options.responseFormat?.type === 'json' && options.responseFormat.schema === undefined
  return isAnyJson ? [...settings, { type: 'unsupported', feature: 'JSON without a schema' }] : settings
}

async function withApiErrors<T>({ abortSignal }: LanguageModelV4CallOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (abortSignal?.aborted === true) throw abortSignal.reason
    throw error instanceof DroverError ? new ApiCallError(error) : error
  }
}

function toFinish(result: PromptResult, { prompt }: Pick<Call, 'prompt'>) {
  const { session_id, execution_id, cost_usd, cost_kind } = result
  return {
    finishReason: { unified: 'stop' as const, raw: undefined },
    usage: toModelUsage(result, prompt),
    providerMetadata: {
      drover: {
        session_id,
        ...withoutUndefined({ execution_id, cost_usd, cost_kind }),
      },
    },
  }
}

function toModelUsage(result: PromptResult, prompt: string): LanguageModelV4Usage {
  const { input, cacheRead, cacheWrite, output, reasoning } = toTokens(result as never, prompt)
  return {
    inputTokens: { total: input, noCache: input - cacheRead - cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}

function toResponse({ model, execution_id: id }: Pick<PromptResult, 'model' | 'execution_id'>) {
  return { ...(model !== undefined && { modelId: model }), ...(id !== undefined && { id }) }
}

function toWarnings({ warnings = [] }: PromptResult): SharedV4Warning[] {
  return warnings.map((message) => ({ type: 'other', message }))
}

/** A reader that stops ends the agent. */
function toStream(call: Call, options: LanguageModelV4CallOptions): ReadableStream<LanguageModelV4StreamPart> {
  const parts = streamParts(call, options)
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      call.run.cancel()
      await parts.return(undefined)
    },
  })
}

async function* streamParts(
  call: Call,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  const stream = new StreamParts(call)
  yield { type: 'stream-start', warnings: call.warnings }
  try {
    for await (const event of call.run as AsyncIterable<PromptEvent>) yield* stream.add(event)
    const result = await withApiErrors(options, () => call.run.result)
    yield { type: 'response-metadata', ...toResponse(result) }
    yield* stream.end(result.output)
    yield { type: 'finish', ...toFinish(result, call) }
  } catch (error) {
    yield { type: 'error', error: error instanceof DroverError ? new ApiCallError(error) : error }
  }
}

const MARKS = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'].map((mark) => Symbol.for(mark))

/** A failure that the AI SDK knows as its `APICallError`, by the marks that it looks for, without its package. */
class ApiCallError extends DroverError {
  override readonly name = 'AI_APICallError'
  readonly url = 'drover:'
  readonly requestBodyValues = {}
  /** What the model service answered, if the agent reports it. */
  readonly statusCode: number | undefined
  /** The same as `retryable`, under the name that the AI SDK reads. */
  readonly isRetryable: boolean
  readonly data: { code: string }

  constructor(error: DroverError) {
    const { code, message, details, result } = error
    super({ code, message, details, result, cause: error })
    this.statusCode = result?.upstream_status
    this.isRetryable = this.retryable
    this.data = { code }
    for (const mark of MARKS) Object.defineProperty(this, mark, { value: true })
  }
}

type Kind = 'text' | 'reasoning'

/** Turns the events of a prompt into the parts of a stream of the AI SDK. */
class StreamParts {
  #open: { kind: Kind; id: string } | undefined
  #count = 0
  #hasText = false
  #reasoning = ''
  readonly #isObject: boolean

  /** `isObject`: the answer must match a schema. What the agent writes before it is no part of it, so only the result is text. */
  constructor({ isObject }: { isObject: boolean }) {
    this.#isObject = isObject
  }

  reasoning(): string {
    return this.#reasoning
  }

  add(event: PromptEvent): LanguageModelV4StreamPart[] {
    switch (event.type) {
      case 'message':
        if (this.#isObject) return []
        this.#hasText = true
        return this.#append('text', event.content)
      case 'thinking':
        this.#reasoning += event.content.text
        return this.#append('reasoning', event.content)
      case 'tool_use':
        return this.#close()
      default:
        return []
    }
  }

  /** An agent that has written nothing still has an answer. */
  end(output: string): LanguageModelV4StreamPart[] {
    const parts = this.#hasText || output === '' ? [] : this.#append('text', { text: output })
    return [...parts, ...this.#close()]
  }

  #append(kind: Kind, { text, is_partial: isPartial }: { text: string; is_partial?: boolean | undefined }) {
    const parts: LanguageModelV4StreamPart[] = []
    if (this.#open?.kind !== kind) {
      parts.push(...this.#close())
      this.#count += 1
      this.#open = { kind, id: String(this.#count) }
      parts.push({ type: `${kind}-start`, id: this.#open.id })
    }
    parts.push({ type: `${kind}-delta`, id: this.#open.id, delta: text })
    // A whole text is a separate part.
    if (isPartial !== true) parts.push(...this.#close())
    return parts
  }

  #close(): LanguageModelV4StreamPart[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }
}
