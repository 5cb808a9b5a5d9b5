/** Everything that a server stands on. It is given once, to `createServer`, and handed to every route registrar. */
import type { Backend } from '../../agents/adapter/agent.ts'
import type { Located } from '../../agents/locate-agents.ts'
import type { KeyRing } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Ids } from '../../kit/ids.ts'
import type { Log } from '../../kit/log.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { ServerObserver } from '../metrics/observer.ts'
import type { Metrics } from '../metrics/prometheus.ts'
import type { AccessEntry } from '../request/access-entry.ts'

export type ServerContext = {
  config: Config
  /** Of the package. */
  version: string
  startedAt: Date
  clock: Clock
  ids: Ids
  keys: KeyRing
  store: SessionStore
  agents: AgentDirectory
  /** What prompts need; its `store` is the one above. */
  prompts: PromptContext
  /** Aborted when the server stops: requests that come now are refused, those under way may finish. */
  shutdown: AbortSignal
  /** Aborted when the time for that is up: prompts that wait or run are cancelled. */
  timeUp: AbortSignal
  /** How long a stream may be silent before the client is told that it is still alive. */
  heartbeatMs: number
  log: Log
  /** Takes one entry for every request. */
  writeAccess: (entry: AccessEntry) => void
  /** Whether prompts and answers may be written to the access log. */
  logsPrompts: boolean
  observer: ServerObserver
  /** Only where the operator wants them. */
  metrics?: Metrics | undefined
}

/** Which agents there are, without asking the disk on every request. */
export type AgentDirectory = {
  /** In canonical order, disabled ones too. */
  list(): readonly Located[]
  /** For a prompt: an agent that was found a moment ago is taken to be there still, any other is looked for. */
  find(backend: Backend): Located
  /** The version, if it is known by now; it is asked for in the background. */
  knownVersion(agent: Located): string | undefined
  /** Waits until the agent has answered or is given up on. */
  versionOf(agent: Located): Promise<string | undefined>
}
