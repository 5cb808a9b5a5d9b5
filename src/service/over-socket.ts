/** Drover in the server of the user, asked over its socket. It does what tools need. */
import type { IncomingMessage } from 'node:http'
import type { AttributedReply } from '../agents/adapter/agent.ts'
import type { Config } from '../config/config.shape.ts'
import type { DrivenRunEvent } from '../drive/service/driven-run-event.shape.ts'
import type { ExecutionEvent } from '../executions/store/execution.shape.ts'
import type { JsonObject } from '../kit/json-value.ts'
import { readLines } from '../kit/read-lines.ts'
import { applySettings } from '../prompts/apply-settings.ts'
import { USER } from '../prompts/caller.ts'
import { settingsFor } from '../prompts/prepare-prompt.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import { toFollowUpBody } from './run-requests.ts'
import type { ToolDrover } from './tool-drover.ts'

type Request = { method: 'GET' | 'POST'; path: string; body?: object; headers?: Readonly<Record<string, string>> }

export type SocketOptions = {
  settings: Config
  /** The server may have another working directory, so this one is the default. */
  cwd: string
  /** Sends a request and returns the answer. Throws the error of the server as a Fault. */
  call(request: Request): Promise<JsonObject>
  /** The same for an answer that is a stream. */
  send(request: Request & { signal: AbortSignal }): Promise<IncomingMessage>
}

/** Longer than every event. */
const LINE_LIMIT_BYTES = 64 * 1024 * 1024
const ASYNC = { prefer: 'respond-async' }

export function createSocketDrover({ settings, cwd, call, send }: SocketOptions): ToolDrover {
  const get = async <Answer>(path: string) => (await call({ method: 'GET', path })) as Answer
  const post = async <Answer>(path: string, body: object) => (await call({ method: 'POST', path, body })) as Answer
  const start = async (path: string, body: object) => {
    const { execution_id: id } = await call({ method: 'POST', path, body, headers: ASYNC })
    return { id: String(id) }
  }
  const follow = <Event extends { type: string }>(path: string, { after, signal }: From) =>
    readEvents<Event>(() => send({ method: 'GET', path: `${path}/events?after=${after}`, signal }), signal)
  return {
    prompts: {
      start: (_by, { wantsDeltas: _, ...request }) =>
        start('/api/v1/prompt', { workdir: cwd, ...request, ...settingsOfCaller(request, settings) }),
      resume: (_by, { id, ...request }) => start(`${sessionPath(id)}/resume`, request),
    },
    batches: {
      compare: (_by, { checkTimeoutMs: _, ...request }) => start('/api/v1/compare', { workdir: cwd, ...request }),
      keep: (_by, request) => post('/api/v1/compare/keep', { workdir: cwd, ...request }),
    },
    executions: {
      find: (_by, id) => get(executionPath(id)),
      follow: (_by, id, from) => follow<ExecutionEvent>(executionPath(id), from),
      cancel: (_by, id) => post(`${executionPath(id)}/cancel`, {}),
      say: (_by, id, { text }) => post(`${executionPath(id)}/message`, { text }),
      decide: async (_by, { id, approval }, { by: _, ...decided }) => {
        const path = `${executionPath(id)}/approvals/${encodeURIComponent(approval)}`
        return (await post<{ decision: AttributedReply['decision'] }>(path, decided)).decision
      },
    },
    budgets: { list: () => get('/api/v1/budgets') },
    startRun: (_by, body) => post('/api/v1/runs', { repository: cwd, ...body }),
    runs: {
      show: (_by, id) => get(runPath(id)),
      follow: async (_by, id, from) => ({ isOver: false, events: follow<DrivenRunEvent>(runPath(id), from) }),
      answer: (_by, id, { text, actionId }) =>
        post(`${runPath(id)}/answer`, { text, ...(actionId !== undefined && { action_id: actionId }) }),
      followUp: (_by, id, wanted) => post(`${runPath(id)}/follow-up`, toFollowUpBody(wanted)),
      move: (_by, id, place) =>
        post(`${runPath(id)}/${place === 'first' ? 'first' : 'move'}`, typeof place === 'object' ? place : {}),
      act: (_by, id, { do: act, ...wanted }) => post(`${runPath(id)}/${act.replace('_', '-')}`, wanted),
    },
  }
}

/** The server may have other settings. */
export function settingsOfCaller(request: PromptRequest, config: Config) {
  const settings = settingsFor(request.backend, { settings: config, by: USER })
  const { approvalMode, sandboxMode, model } = applySettings(request, settings)
  const sandbox = request.sandbox ?? config.sandbox.mode
  return {
    approval_mode: approvalMode,
    sandbox_mode: sandboxMode,
    // The approval mode may require one.
    ...(sandbox !== 'off' && { sandbox }),
    ...(model !== undefined && { model }),
  }
}

const executionPath = (id: string) => `/api/v1/executions/${encodeURIComponent(id)}`
const sessionPath = (id: string) => `/api/v1/sessions/${encodeURIComponent(id)}`
const runPath = (id: string) => `/api/v1/runs/${encodeURIComponent(id)}`

type From = { after: number; signal: AbortSignal }

/** Ends without an error when the signal is aborted. */
async function* readEvents<Event extends { type: string }>(
  open: () => Promise<IncomingMessage>,
  signal: AbortSignal,
): AsyncGenerator<Event[], void, undefined> {
  try {
    const response = await open()
    const rules = { limitBytes: LINE_LIMIT_BYTES, onOversize: () => response.destroy() }
    for await (const lines of readLines(response, rules)) {
      const events = lines.map((line) => JSON.parse(line) as Event)
      yield events.filter(({ type }) => type !== 'heartbeat')
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
