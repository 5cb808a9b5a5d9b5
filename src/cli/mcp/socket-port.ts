/** The tools of `drover mcp`, done by a server behind a socket of the user. */
import type { Config } from '../../config/config.shape.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { Execution, ExecutionEvent } from '../../executions/store/execution.shape.ts'
import type { ToolPort } from '../../http/mcp/tool-port.ts'
import { readLines } from '../../kit/read-lines.ts'
import type { Invocation } from '../command.ts'
import { callServer, sendToServer } from '../local/server-client.ts'
import { settingsOfCaller } from '../prompt/detach-prompt.ts'

type Target = {
  config: Config
  /** The socket of the server for the next call. Undefined: that of the user's server. */
  findSocket: () => Promise<string | undefined>
  /** Aborted when the command ends. */
  closing: AbortSignal
}

type Call = Parameters<typeof callServer>[1]

/** Longer than every event. */
const LINE_LIMIT_BYTES = 64 * 1024 * 1024

/** The server may have another working directory, so this one is the default. */
export function createSocketPort(invocation: Invocation, { config, findSocket, closing }: Target): ToolPort {
  const { runtime } = invocation
  const here = { workdir: runtime.cwd }
  const call = async (sent: Call) => await callServer(invocation, { ...sent, socket: await findSocket() })
  const get = (path: string) => call({ method: 'GET', path })
  const post = (path: string, body: object) => call({ method: 'POST', path, body })
  const start = async (path: string, body: object) => {
    const headers = { prefer: 'respond-async' }
    return String((await call({ method: 'POST', path, body, headers }))['execution_id'])
  }
  const follow = async function* (path: string, { after, signal }: { after: number; signal: AbortSignal }) {
    const target = { path: `${path}/events?after=${after}`, socket: await findSocket(), signal }
    yield* eventsAt(invocation, target)
  }
  const asRun = (answer: object) => answer as unknown as DrivenRun
  return {
    version: runtime.version(),
    defaultBackend: config.default_backend,
    waitSecs: config.server.mcp_wait_secs,
    closing,
    prompt: async (request) =>
      await start('/api/v1/prompt', { ...here, ...request, ...settingsOfCaller(request, config) }),
    compare: (request) => start('/api/v1/compare', { ...here, ...request }),
    resume: (id, request) => start(`${sessionPath(id)}/resume`, request),
    findExecution: async (id) => (await get(executionPath(id))) as unknown as Execution,
    followExecution: (id, from) => follow(executionPath(id), from),
    cancelExecution: async (id) => void (await post(`${executionPath(id)}/cancel`, {})),
    startRun: async (request) => asRun(await post('/api/v1/runs', { repository: runtime.cwd, ...request })),
    showRun: async (id) => asRun(await get(runPath(id))),
    followRun: (id, from) => follow(runPath(id), from),
    answerRun: async (id, answer) => asRun(await post(`${runPath(id)}/answer`, answer)),
  }
}

const executionPath = (id: string) => `/api/v1/executions/${encodeURIComponent(id)}`
const sessionPath = (id: string) => `/api/v1/sessions/${encodeURIComponent(id)}`
const runPath = (id: string) => `/api/v1/runs/${encodeURIComponent(id)}`

/** Ends without an error when the signal is aborted. */
async function* eventsAt(
  invocation: Invocation,
  { path, socket, signal }: { path: string; socket: string | undefined; signal: AbortSignal },
): AsyncGenerator<ExecutionEvent[], void, undefined> {
  try {
    const response = await sendToServer(invocation, { method: 'GET', path, socket, signal })
    const rules = { limitBytes: LINE_LIMIT_BYTES, onOversize: () => response.destroy() }
    for await (const lines of readLines(response, rules)) {
      const events = lines.map((line) => JSON.parse(line) as ExecutionEvent)
      yield events.filter(({ type }) => type !== 'heartbeat')
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
