/** Puts prompts into the queue of many machines, and gives their callers the events that a worker stores. */
import { normalize } from 'node:path'
import type { AttachedFile } from '../agents/adapter/attached-file.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { Fault, type FaultKind } from '../kit/fault.ts'
import type { Ids } from '../kit/ids.ts'
import { parsePlainJson } from '../kit/json/plain-json.ts'
import { parseStrictJson } from '../kit/json/strict-json.ts'
import { writeJson } from '../kit/json/write-json.ts'
import type { JsonValue } from '../kit/json-value.ts'
import { requiredLabel } from '../kit/label.ts'
import { depthIn } from '../kit/process/environment-variables.ts'
import { readAttachments } from '../prompts/attachments.ts'
import { type Caller, type ClientKey, ownerKey, visibleKeyId } from '../prompts/caller.ts'
import { refuseBackend } from '../prompts/ceilings.ts'
import { refuseDeepNesting } from '../prompts/check-permissions.ts'
import type { ExecutionOptions } from '../prompts/execution-recorder.ts'
import { hasPlace } from '../prompts/fair-queue.ts'
import { queueFull } from '../prompts/faults.ts'
import { preparePrompt } from '../prompts/prepare-prompt.ts'
import type { PromptContext, PromptRunOptions, PromptStream } from '../prompts/prompt-context.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import { canceledResult, type PromptResult } from '../prompts/prompt-result.ts'
import { kindOf } from '../prompts/record-execution.ts'
import { createCancel, explainStopEvent, explainStopResult, isServerStop } from '../prompts/server-stop.ts'
import { NO_KEY } from '../store/key-ids.ts'
import type { Executions } from './local-executions.ts'
import { replayEvents } from './replay.ts'
import type { Execution } from './store/execution.shape.ts'
import { decideKeep, describeAttachment } from './store/execution-end.ts'
import { newExecutionId } from './store/execution-id.ts'
import { isFinal, type KeepMode } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionLost } from './store/faults.ts'
import { countsUsage } from './store/usage-entry.ts'
import {
  chooseMachine,
  defaultDirectory,
  hasDirectory,
  isQueueFull,
  type QueuedWork,
  type WorkQueue,
} from './store/work-queue.ts'

export type DispatchOptions = {
  queue: WorkQueue
  executions: Executions
  store: ExecutionStore
  owner(): Promise<string>
  clock: Clock
  ids: Ids
  /** The setting `executions.keep`. */
  keep: KeepMode
  /** How many prompts may wait. */
  queueLimit: number
  /** Whether this process runs prompts itself. Then it can find out at once what is wrong with a prompt. */
  isWorker: boolean
  /** The section `work` of the settings. */
  work: { repositories: readonly string[]; labels: readonly string[]; required_labels: readonly string[] }
}

/** What a worker gets: the request, and who has sent it. Only clients use the queue. */
export type QueuedPrompt = {
  request: PromptRequest
  context: Pick<Caller, 'ceilings' | 'trace' | 'fallback' | 'budgets'> & {
    caller: 'client'
    client?: ClientKey | undefined
    role?: 'client' | 'operator'
  }
  /** How deep its sender is. The agent is one deeper. */
  depth?: number
  execution: Pick<ExecutionOptions, 'kind' | 'parentId' | 'clientRequest' | 'isEphemeral' | 'isInBackground'>
}

function toQueuedText(prompt: QueuedPrompt): string {
  // Metadata may have integers that only a bigint holds exactly. Undefined fields are left out.
  return writeJson(withoutUndefined(prompt) as JsonValue)
}

export function fromQueuedText(text: string): QueuedPrompt {
  return (parsePlainJson(text) ?? parseStrictJson(text, { input: 'a queued prompt', numbers: 'any' })) as QueuedPrompt
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutUndefined(field)]))
}

export function createDispatch(options: DispatchOptions): NonNullable<PromptContext['dispatch']> {
  return (request, context, run) => dispatchPrompt(options, { request: placeFor(request, context), context, run })
}

/** Only a machine with a directory of the key can run it. */
function placeFor(request: PromptRequest, { by, cwd }: PromptContext): PromptRequest {
  const { workdir, resumes, forks } = request
  const isPlaced = (workdir ?? resumes ?? forks) !== undefined
  return isPlaced || by.ceilings?.directories === undefined ? request : { ...request, workdir: cwd }
}

type Dispatched = { request: PromptRequest; context: PromptContext; run: PromptRunOptions }

async function* dispatchPrompt(options: DispatchOptions, prompt: Dispatched): PromptStream {
  const { executions, store, queue } = options
  const { execution = {} } = prompt.run
  const machine = await findMachine(options, prompt)
  const work = await toWork(options, prompt, machine)
  const { id } = work.execution
  const full = await findNoRoom(options, ownerKey(prompt.context.by)?.id ?? NO_KEY)
  if (full !== undefined) {
    execution.onBegin?.({ id })
    await recordRefusal(options, { ...work, client: ownerKey(prompt.context.by) }, full)
    throw full
  }
  await addOnce(options, work)
  execution.onBegin?.({ id })
  const unwatch = watchSession(id, store, execution.onSession)
  const reading = new AbortController()
  const goesOn = execution.isInBackground === true
  // Any server may have got the results, and then its client reads the rest there.
  const isReadElsewhere = prompt.request.clientTools !== undefined
  // If the client has gone, the worker ends the agent, and the rest is still read. In the background, only this server ends.
  const leave = () => (goesOn ? reading.abort() : void store.requestCancel(id).catch(() => {}))
  const { signal } = createCancel(prompt.run.signal, prompt.context.ending)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    const source = { executions, executionStore: store }
    const result = async () => {
      const ended = await executions.ended(id, reading.signal)
      prompt.context.observer?.waited?.(secondsInQueue(ended))
      return toPromptResult(id, ended)
    }
    const events = replayEvents(id, source, { signal: reading.signal, result })
    let next = await events.next()
    // The worker knows only that it was told to cancel.
    for (; next.done !== true; next = await events.next()) yield explainStopEvent(next.value, isServerStop(signal))
    return explainStopResult(next.value, isServerStop(signal))
  } catch (error) {
    if (await isCancelledUnstarted(id, store))
      return explainStopResult(canceledResult(prompt.request.backend), isServerStop(signal))
    throw error
  } finally {
    unwatch()
    signal.removeEventListener('abort', leave)
    reading.abort()
    if (!goesOn) await cancelUnfinished(id, store)
    // A worker removes later what is not removed here.
    if (work.keep !== 'events' && !isReadElsewhere) await queue.removeUnkept(id).catch(() => {})
  }
}

async function findNoRoom({ queue, queueLimit: limit }: DispatchOptions, keyId: string): Promise<Fault | undefined> {
  const [load, workers] = await Promise.all([queue.load(), queue.workers()])
  if (!isQueueFull(load, { workers, limit }) || hasPlace(await queue.share(keyId), limit)) return undefined
  return queueFull({ running: load.running, queued: load.waiting })
}

/** A prompt that finds no room is a failed execution, as on one machine. */
async function recordRefusal(
  { executions }: DispatchOptions,
  { execution, keep, countsUsage: isReal, client }: QueuedWork & { client: ClientKey | undefined },
  full: Fault,
): Promise<void> {
  const { id, kind, parent_id: parentId, client_request: clientRequest, attachments: _, ...known } = execution
  const start = { ...known, id, kind, parentId, client, clientRequest, keep, onCancel: () => {} }
  await executions.begin({ ...start, isEphemeral: keep === 'none', isDryRun: !isReal }).abandon(full)
}

/** Tells the caller the session as soon as it is stored, which is before the first event. */
function watchSession(
  id: string,
  store: ExecutionStore,
  onSession: ((sessionId: string) => void) | undefined,
): () => void {
  if (onSession === undefined) return () => {}
  const look = async () => {
    const { session_id: session } = await store.find(id)
    if (session === undefined) return
    unwatch()
    onSession(session)
  }
  const unwatch = store.watch((notice) => {
    if (notice.type === 'changed' && notice.ids.includes(id)) void look().catch(() => {})
  })
  return unwatch
}

/** The machine that must run it. Throws a Fault if no worker can, or if something is wrong with the prompt. */
async function findMachine(
  { queue, isWorker, work: { repositories, labels, required_labels: rules } }: DispatchOptions,
  { request, context }: Dispatched,
): Promise<string | undefined> {
  // The settings of a worker may differ.
  refuseDeepNesting(context)
  refuseBackend(request.backend, context.by.ceilings)
  const { resumes, backend } = request
  const home = resumes && (await queue.homeOf(resumes.id))
  const workdir = toDirectory(request)
  const label = requiredLabel({ label: request.label, workdir }, rules)
  const isHere = home === undefined || home.machine === queue.machine
  const mayRunHere = isWorker && isHere && (label === undefined || labels.includes(label))
  if (mayRunHere && (workdir === undefined || hasDirectory(repositories, workdir))) {
    preparePrompt(request, { ...context, cwd: defaultDirectory(repositories, context.cwd) })
    return home?.machine
  }
  const session = home && { id: resumes?.id ?? '', ...home }
  return chooseMachine(await queue.workers(), { backend, workdir, session, label })
}

/** Without detours such as `..`, because the queue compares names. */
function toDirectory({ workdir, resumes, forks }: PromptRequest): string | undefined {
  const directory = workdir ?? (resumes ?? forks)?.working_dir
  return directory === undefined ? undefined : normalize(directory)
}

async function toWork(
  { clock, ids, keep, owner, work: { required_labels: rules } }: DispatchOptions,
  { request, context, run }: Dispatched,
  machine: string | undefined,
): Promise<QueuedWork> {
  const { backend, model, resumes, dry_run: isDryRun = false } = request
  const { kind = kindOf({ isDryRun }), id = newExecutionId(ids), parentId, clientRequest } = run.execution ?? {}
  const { isEphemeral = request.ephemeral === true, isInBackground = false } = run.execution ?? {}
  const { createdAt = toTimestamp(clock.now()) } = run.execution ?? {}
  const workdir = toDirectory(request)
  const label = requiredLabel({ label: request.label, workdir }, rules)
  const { ceilings, trace, fallback, budgets } = context.by
  const client = ownerKey(context.by)
  const attachments = isEphemeral || isDryRun ? [] : readAttachments(request.attachments ?? [])
  const execution: Execution = {
    ...{ id, kind, backend, state: 'queued', owner: '', created_at: createdAt, last_seq: 0 },
    ...(parentId !== undefined && { parent_id: parentId }),
    ...(client !== undefined && { api_key: client.name, key_id: client.id }),
    ...(model !== undefined && { model }),
    ...(workdir !== undefined && { workdir }),
    ...(label !== undefined && { label }),
    ...(resumes !== undefined && { session_id: resumes.id }),
    ...(!isEphemeral && toldIn(request, { attachments, clientRequest })),
  }
  return {
    execution,
    keep: decideKeep({ isEphemeral, isDryRun }, keep),
    countsUsage: countsUsage({ backend, isDryRun }),
    request: toQueuedText({
      request,
      context: {
        caller: 'client',
        ceilings,
        client,
        trace,
        fallback,
        budgets,
        role: visibleKeyId(context.by) === undefined ? 'operator' : 'client',
      },
      depth: depthIn(context.env),
      execution: { kind, parentId, clientRequest, isEphemeral, isInBackground },
    }),
    machine,
    attachments,
    waiter: isInBackground ? undefined : await owner(),
    priority: request.priority,
  }
}

type Told = Pick<ExecutionOptions, 'clientRequest'> & { attachments: readonly AttachedFile[] }

/** What the client has said. */
function toldIn({ prompt }: PromptRequest, { attachments, clientRequest }: Told): Partial<Execution> {
  return {
    prompt,
    ...(attachments.length > 0 && { attachments: attachments.map(describeAttachment) }),
    ...(clientRequest !== undefined && { client_request: clientRequest }),
  }
}

/** If the connection fails while PostgreSQL commits, the execution may be in the queue all the same. */
async function addOnce({ queue, store }: DispatchOptions, work: QueuedWork): Promise<void> {
  try {
    await queue.add(work)
  } catch (error) {
    const isThere = await store.find(work.execution.id).then(
      () => true,
      () => false,
    )
    if (!isThere) throw error
  }
}

/** Throws what prevented it, as if it had been run here. */
function toPromptResult(id: string, ended: Execution | undefined): PromptResult {
  if (ended?.result !== undefined) return ended.result as unknown as PromptResult
  if (ended?.error === undefined) throw executionLost({ id, state: ended?.state ?? 'running' })
  const { code, message, kind = 'internal', details = {} } = ended.error
  throw new Fault({ code, message, kind: kind as FaultKind, details })
}

/** It was cancelled while it waited, so it has no result. */
async function isCancelledUnstarted(id: string, store: ExecutionStore): Promise<boolean> {
  return await store.find(id).then(
    ({ state, started_at: startedAt }) => state === 'cancelled' && startedAt === undefined,
    () => false,
  )
}

/** Two machines have written the times. */
function secondsInQueue({ created_at: from, started_at: to = from }: Partial<Execution> = {}): number {
  return from === undefined || to === undefined ? 0 : Math.max(0, Date.parse(to) - Date.parse(from)) / 1000
}

/** The caller has stopped reading. */
async function cancelUnfinished(id: string, store: ExecutionStore): Promise<void> {
  try {
    if (!isFinal((await store.find(id)).state)) await store.requestCancel(id)
  } catch {
    // It is gone, or the store cannot be reached: the death of this process would cancel it.
  }
}
