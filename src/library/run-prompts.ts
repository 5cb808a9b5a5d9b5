/** The prompts of a program: one, several at once, a chain, a comparison. */
import type { ApprovalRequest, AttributedReply } from '../agents/adapter/agent.ts'
import { checkAnswers } from '../agents/adapter/answers.ts'
import { isObject } from '../agents/adapter/json-fields.ts'
import { checker } from '../kit/schema.ts'
import { userName } from '../kit/user-name.ts'
import { USER } from '../prompts/caller.ts'
import { validateCompareRequest, validateKeepRequest } from '../prompts/checks.generated.js'
import { resumeInvalid } from '../prompts/faults.ts'
import type { CompareRequest, KeepRequest } from '../prompts/prompt-request.shape.ts'
import type * as internal from '../prompts/prompt-request.ts'
import { type PromptResult, toPromptStatus } from '../prompts/prompt-result.ts'
import type { BatchWatcher } from '../prompts/run-batch.ts'
import type { BatchStart, RunningBatch, StartOptions } from '../service/drover-service.ts'
import { validateChainRequest, validateParallelRequest, validatePromptRequest } from './checks.generated.js'
import { DroverError, throwingDroverErrors } from './drover-error.ts'
import { EventRun } from './event-run.ts'
import type { Instance, OpenedInstance } from './instance.ts'
import { type CallName, refuseUnknownOptions } from './known-options.ts'
import type * as messages from './messages.generated.ts'
import type { ChainCall, ParallelCall, PromptCall } from './requests.shape.ts'
import type { BatchOptions, CallOptions, Drover, EndedPrompt, PromptOptions, PromptRun } from './types.ts'

const checkPrompt = checker<PromptCall>('the request', validatePromptRequest)
const checkParallel = checker<ParallelCall>('the request', validateParallelRequest)
const checkChain = checker<ChainCall>('the request', validateChainRequest)
const checkCompare = checker<CompareRequest>('the request', validateCompareRequest)

const checkKeep = checker<KeepRequest>('the request', validateKeepRequest)

const CHOICES = ['allow', 'allow_session', 'deny'] as const

type PromptCalls = Pick<Drover, 'prompt' | 'say' | 'parallel' | 'chain' | 'compare' | 'keep'>

export function promptCalls(instance: Instance): PromptCalls {
  return {
    prompt: (request, options = {}) => startPrompt(instance, toRequest(request), options),
    say: (id, text) => sayTo(instance, id, text),
    parallel: (request, options) =>
      runBatch(instance, { call: 'parallel', options }, ({ config, drover, batch }) => {
        const { tasks, ...rest } = checkParallel(request)
        const named = tasks.map((task) => withBackend(task, config))
        return drover.batches.parallel(USER, { ...rest, tasks: named }, batch)
      }),
    chain: (request, options) =>
      runBatch(instance, { call: 'chain', options }, ({ config, drover, batch }) => {
        const { steps, ...rest } = checkChain(request)
        return drover.batches.chain(USER, { ...rest, steps: steps.map((step) => withBackend(step, config)) }, batch)
      }),
    compare: (request, options) =>
      runBatch(instance, { call: 'compare', options }, ({ drover, batch }) =>
        drover.batches.compare(USER, checkCompare(request), batch),
      ),
    keep: (request, options) =>
      runCall(instance, { call: 'keep', options }, async ({ drover }, signal) =>
        drover.batches.keep(USER, checkKeep(request), signal),
      ),
  }
}

function toRequest(request: string | messages.PromptRequest): messages.PromptRequest {
  return typeof request === 'string' ? { prompt: request } : request
}

function withBackend<T extends { backend?: string }>(
  { backend, ...rest }: T,
  { default_backend: otherwise }: OpenedInstance['config'],
): Omit<T, 'backend'> & { backend: string } {
  return { ...rest, backend: backend ?? otherwise }
}

function startPrompt(instance: Instance, given: messages.PromptRequest, options: PromptOptions): PromptRun {
  const begun = Promise.withResolvers<string>()
  const run = new EventRun<messages.PromptEvent, EndedPrompt>(
    (emit, signal) =>
      throwingDroverErrors(async () => {
        refuseUnknownOptions('prompt', options)
        const opened = await instance.open()
        const request = { ...(await resolveRequest(checkPrompt(given), opened)), wantsDeltas: options.deltas !== false }
        const onBegin = ({ id }: { id: string }) => begun.resolve(id)
        const result = await runToEnd(instance, { opened, request, options, emit, signal, onBegin })
        if (toPromptStatus(result) !== 'completed') throw toFailure(result)
        return result as EndedPrompt
      }),
    options.signal,
  )
  const say = async (text: string) => {
    // A prompt that is refused has no execution: its error tells why.
    const id = await Promise.race([begun.promise, run.result.then(() => begun.promise)])
    return await sayTo(instance, id, text)
  }
  return Object.assign(instance.track(run), { say })
}

/** Not every program is checked by TypeScript. */
async function sayTo(instance: Instance, id: unknown, text: unknown): Promise<messages.MessageSent> {
  return await throwingDroverErrors(async () => {
    const { drover } = await instance.open()
    const by = { via: 'program', name: userName() } as const
    return await drover.executions.say(USER, String(id), { text: String(text), by })
  })
}

type Call = {
  opened: OpenedInstance
  request: internal.PromptRequest
  options: PromptOptions
  emit: (event: messages.PromptEvent) => void
  signal: AbortSignal
  onBegin: NonNullable<StartOptions['onBegin']>
}

async function runToEnd(instance: Instance, call: Call): Promise<PromptResult> {
  const { opened, request, options, emit, signal, onBegin } = call
  const { onApproval } = options
  const { events } = await opened.drover.prompts.start(USER, request, {
    ...{ signal, onBegin },
    // Only a process that stays up can ask.
    isCold: !instance.isWarm && onApproval === undefined,
    ...(onApproval !== undefined && { onApproval: toApprover(onApproval) }),
  })
  const run = events()
  let next = await run.next()
  for (; next.done !== true; next = await run.next()) emit(next.value)
  return next.value
}

function toApprover(onApproval: NonNullable<PromptOptions['onApproval']>) {
  return async (request: ApprovalRequest): Promise<AttributedReply> => {
    try {
      const decided = toDecision(await onApproval(request))
      checkAnswers(request, decided)
      return decided
    } catch (error) {
      return denied(`the decision failed: ${error instanceof Error ? error.message : error}`)
    }
  }
}

/** Not every program is checked by TypeScript: only the known words allow something. */
function toDecision(decided: unknown): AttributedReply {
  const { decision, message, answers } = isObject(decided) ? decided : { decision: decided }
  const choice = CHOICES.find((each) => each === decision)
  if (choice === undefined) return denied('the decision must be allow, allow_session or deny')
  const by = { via: 'program', name: userName() } as const
  return { decision: choice, ...(typeof message === 'string' && { message }), ...readAnswers(answers), by }
}

function readAnswers(answers: unknown): Pick<AttributedReply, 'answers'> {
  if (!Array.isArray(answers)) return {}
  return { answers: answers.map((each) => (Array.isArray(each) ? each : [each]).map(String)) }
}

function denied(message: string): AttributedReply {
  return { decision: 'deny', message, by: { via: 'drover' } }
}

async function resolveRequest(asked: PromptCall, opened: OpenedInstance): Promise<internal.PromptRequest> {
  const { session: id, fork = false, ...rest } = asked
  // Validated as a JSON object.
  const request = rest as Omit<internal.PromptRequest, 'backend'> & { backend?: string }
  if (id === undefined) {
    if (fork) throw resumeInvalid({ problem: 'fork needs a session; name it, or remove fork' })
    return withBackend(request, opened.config)
  }
  return await opened.drover.sessions.continuing(USER, { ...request, id, fork })
}

function toFailure(result: PromptResult): DroverError {
  const { error = `${result.backend} ended with exit code ${result.exit_code}`, error_code: code = 'agent_failed' } =
    result
  return new DroverError({ code, message: error, result })
}

type BatchCall = Pick<OpenedInstance, 'config' | 'drover'> & { batch: BatchStart }

async function runBatch<R>(
  instance: Instance,
  { call, options = {} }: { call: CallName; options: BatchOptions | undefined },
  start: (call: BatchCall) => Promise<RunningBatch<R>>,
): Promise<R> {
  const { onEvent } = options
  const watcher = onEvent === undefined ? undefined : toWatcher(onEvent)
  return await runCall(instance, { call, options }, async (opened, canceled) => {
    const batch = { signal: canceled, watcher, wantsDeltas: onEvent !== undefined, isCold: !instance.isWarm }
    return await (await start({ ...opened, batch })).result()
  })
}

async function runCall<R>(
  instance: Instance,
  { call, options = {} }: { call: CallName; options: CallOptions | undefined },
  work: (opened: OpenedInstance, signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const run = new EventRun<never, R>(
    (_, canceled) =>
      throwingDroverErrors(async () => {
        refuseUnknownOptions(call, options)
        return await work(await instance.open(), canceled)
      }),
    options.signal,
  )
  return await instance.track(run).result
}

function toWatcher(onEvent: NonNullable<BatchOptions['onEvent']>): BatchWatcher {
  return {
    started: (item) => onEvent({ type: 'started', item }),
    event: (item, event) => onEvent({ type: 'event', item, event: event as messages.PromptEvent }),
    ended: (item, result) => onEvent({ type: 'ended', item, result }),
  }
}
