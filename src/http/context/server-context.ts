/** Everything the server depends on. `createServer` gets it once and passes it to every guard and endpoint. */
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { Backend } from '../../agents/adapter/agent.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import type { KeyRing } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import type { RunService } from '../../drive/service/run-service.ts'
import type { BackgroundRuns } from '../../executions/background-runs.ts'
import type { Executions } from '../../executions/executions.ts'
import type { StateFeed } from '../../executions/state-feed.ts'
import type { ApprovalBoard } from '../../executions/store/approval-board.ts'
import type { ExecutionStore } from '../../executions/store/execution-store.ts'
import type { Stores } from '../../executions/store/open-stores.ts'
import type { Worker } from '../../executions/worker.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Ids } from '../../kit/ids.ts'
import type { Log } from '../../kit/log.ts'
import type { PromptContext, PromptObserver } from '../../prompts/prompt-context.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Logins } from './logins.ts'
import type { WrongKeys } from './wrong-keys.ts'

export type ServerContext = {
  config: Config
  /** The version of the drover package. */
  version: string
  startedAt: Date
  clock: Clock
  ids: Ids
  keys: KeyRing
  store: SessionStore
  executionStore: ExecutionStore
  executions: Executions
  stateFeed: StateFeed
  /** Prompts that go on without their client. */
  background: BackgroundRuns
  /** Runs that agents do by themselves. */
  runs: RunService
  agents: AgentDirectory
  /** The context that prompts run in. It uses the same session store. */
  prompts: PromptContext
  /** The prompts that wait for a worker. Undefined: there is one machine. */
  queue?: Stores['queue']
  /** What agents on all machines ask for. Undefined: there is one machine. */
  approvalBoard?: ApprovalBoard | undefined
  /** The rate limits of all servers together. Undefined: this server has its own. */
  rateLimits?: Stores['rateLimits']
  /** Runs the prompts that wait in the queue of many machines. Undefined: there is no queue, or this process runs none. */
  worker?: Worker | undefined
  /** Aborted when the server starts to shut down: new requests are refused, running ones may finish. */
  shutdown: AbortSignal
  /** Aborted when the time to finish is over: queued and running prompts are canceled. */
  drainDeadline: AbortSignal
  /** A stream that is silent for this long gets a heartbeat. */
  heartbeatMs: number
  log: Log
  /** Called once for every request. */
  writeAccessLog: (entry: AccessEntry) => void
  /** Whether prompts and answers are written to the access log. */
  logsPrompts: boolean
  observer: ServerObserver
  /** The program of the thread that reads large request bodies. Undefined: there is none. */
  jsonThread?: string | undefined
  /** Where the files of the console are, if they are built. */
  consoleDirectory: string
  /** Who is logged in to the console. */
  logins: Logins
  /** Delays the answers to wrong keys. */
  wrongKeys: WrongKeys
  /** Undefined unless `server.metrics_enabled` is true. */
  metrics?: Metrics | undefined
}

/** Registers the routes of one endpoint. Their paths are relative to the prefix of the scope. */
export type RegisterRoutes = (scope: FastifyInstance, context: ServerContext) => void

/** Finds agents without a disk access for every request. */
export type AgentDirectory = {
  /** All agents in canonical order, including disabled ones. */
  list(): readonly AgentLocation[]
  /** The agent for a prompt; undefined if there is no such backend. The location of an installed agent is cached for a moment. */
  find(backend: Backend): AgentLocation | undefined
  /** The version, if the background query has returned it. */
  knownVersion(agent: AgentLocation): string | undefined
}

/** One line of the access log, with the field names of the log. It never contains API keys or whole bodies. */
export type AccessEntry = {
  request_id: string
  method: string
  route: string
  /** Only if no endpoint has this path: its beginning, with `*` for every word that no endpoint has. */
  path?: string
  status: number
  bytes: number
  duration_ms: number
  client: string
  key?: string
  /** Several backends are joined by commas. */
  backend?: string
  error?: string
  trace_id?: string
  /** Only with `--log-prompts`. */
  prompt?: string
  answer?: string
}

/** Gets a call for every request, successful or not. Metrics are counted here. */
export type ServerObserver = {
  requestStarted?(): void
  requestDone?(done: RequestDone): void
}

export type RequestDone = {
  /** The path of the route (`/api/v1/sessions/:id`), which keeps the number of labels small; `unknown` without a route. */
  route: string
  method: string
  /** 499 if the client disconnected before the response. */
  status: number
  seconds: number
  /** Bytes sent to the client, including headers. */
  bytes: number
  /** The name of the API key in logs; undefined without a valid key. */
  keyName: string | undefined
  /** The agents that ran for the request, joined by commas. */
  backend: string | undefined
  /** The error code, if the request failed. */
  errorCode: string | undefined
}

export type Metrics = {
  server: ServerObserver
  prompts: PromptObserver
  registry: Pick<Registry, 'metrics' | 'contentType'>
}
