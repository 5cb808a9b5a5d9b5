/** Everything the server depends on. `createServer` gets it once and passes it to every guard and endpoint. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { TraceContext } from '../../agents/adapter/agent.ts'
import type { KeyRing } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Ids } from '../../kit/ids.ts'
import type { AccessEntry, Log } from '../../kit/log.ts'
import type { PromptObserver } from '../../prompts/prompt-context.ts'
import type { ServedDrover } from '../../service/served.ts'
import type { ServerExposure } from '../../service/server-address.ts'
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
  /** What the server does for its clients. */
  drover: ServedDrover
  /** The address that it listens on. */
  exposure: ServerExposure
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
  /** Reports a request to OpenTelemetry. Undefined: telemetry is off. */
  traceRequest?: RequestTracer | undefined
  /** Undefined unless `server.metrics_enabled` is true. */
  metrics?: Metrics | undefined
}

/** Registers the routes of one endpoint. Their paths are relative to the prefix of the scope. */
export type RegisterRoutes = (scope: FastifyInstance, context: ServerContext) => void

/** Called when a request arrives. Undefined: it is not reported. */
export type RequestTracer = (
  exchange: { request: FastifyRequest; reply: FastifyReply },
  parent: TraceContext | undefined,
) => { trace: TraceContext & { traceId: string }; end(): void } | undefined

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
  /** What only those see who see everything. */
  budgets: Pick<Registry, 'metrics'>
}
