/** What all prompts of a process share: settings, agents, sessions, limits. */
import type { Backend, McpServer, OnApproval, SandboxUse, Usage } from '../agents/adapter/agent.ts'
import type { AgentLocation, BackendSettings } from '../agents/locate-agents.ts'
import type { WarmPool } from '../agents/pool/warm-pool.ts'
import type { Clock } from '../kit/clock.ts'
import type { SandboxSection } from '../sandbox/create-policy.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { AgentSettings, SharedSettings } from './apply-settings.ts'
import type { Approvals } from './approvals.ts'
import type { Caller } from './caller.ts'
import type { Slots } from './concurrency-slots.ts'
import type { BudgetSource } from './decide-budget.ts'
import type { ExecutionOptions, ExecutionRecorder } from './execution-recorder.ts'
import type { ModelPrice } from './model-prices.ts'
import type { PrivateFiles } from './private-files.ts'
import type { PromptEvent } from './prompt-event.ts'
import type { PromptRequest } from './prompt-request.ts'
import type { PromptResult } from './prompt-result.ts'
import type { ToolTurns } from './tool-turns.ts'
import type { WorkdirPolicy } from './workdir-policy.ts'

/** The parts of the configuration that prompts depend on. */
type PromptSettings = {
  /** `plan`: a subscription pays for it. */
  backends: BackendSettings & Readonly<Record<Backend, AgentSettings & { plan: boolean }>>
  unified_flags: SharedSettings & { dry_run: boolean; command_timeout_secs: number }
  session: { default_tags: readonly string[] }
  prices: readonly ModelPrice[]
  mcp_servers: readonly McpServer[]
  parallel: { max_workers: number }
  server: { max_nesting: number; fallback_rules: readonly string[] }
  sandbox: SandboxSection & { mode: SandboxUse }
  work: { labels: readonly string[]; required_labels: readonly string[] }
}

/** What a sandbox is made of, besides the programs of the system. */
export type SandboxParts = {
  /** bin/sandbox-forwarder.cjs and bin/sandbox-probe.cjs */
  forwarder: string
  probe: string
  /** The files of drover, which no agent in a sandbox sees. */
  droverHome: string
  /** Files with secrets elsewhere, which it does not see either. */
  hidden: readonly string[]
}

export type PromptContext = {
  /** Whose prompts they are. The sessions of a client are tagged `api`, and its dry runs need an installed agent and store a session. */
  by: Caller
  settings: PromptSettings
  env: Readonly<Record<string, string | undefined>>
  /** The working directory of prompts that name none. */
  cwd: string
  isRoot: boolean
  clock: Clock
  /** Finds an agent, and whether it is enabled; undefined if there is no such backend. */
  locate(backend: Backend): AgentLocation | undefined
  /** The version of an agent, which may have to be asked for it. */
  askVersion?(agent: AgentLocation): Promise<string | undefined>
  /** Called when the first session is stored: a prompt without a session must not fail if there is no store. */
  openStore(): Promise<SessionStore>
  slots: Slots
  /** Undefined: nothing limits what prompts use. */
  budgets?: BudgetSource | undefined
  sandbox: SandboxParts
  /** Undefined: agents may work anywhere. */
  workdirs?: WorkdirPolicy | undefined
  /** A caller without ceilings may then pass any argument to an agent. */
  isUnsafeExtraAllowed: boolean
  /** What an agent must not read if ceilings limit its caller. Undefined: nothing limits it. */
  privateFiles?: PrivateFiles | undefined
  /** The upper limit for every timeout; null: none. */
  longestRunMs: number | null
  /** Aborted when the server stops: what is cancelled from then on is cancelled by that. Undefined: no server. */
  ending?: AbortSignal | undefined
  /** How long an agent may take to begin its answer; null or undefined: no limit. */
  firstEventTimeoutMs?: number | null
  observer?: PromptObserver
  /** Undefined: telemetry is off. */
  telemetry?: PromptTelemetry | undefined
  /** Agents that stay up. Undefined: every prompt starts its agent. */
  warm?: WarmPool | undefined
  /** Where callers decide about what agents ask for. Undefined: no one can be asked. */
  approvals?: Approvals | undefined
  /** Where turns wait for results of functions of their clients. Undefined: this process has none. */
  toolTurns?: ToolTurns | undefined
  /** Records every prompt as an execution. */
  executions?: ExecutionRecorder
  /** Lets a worker of many machines run the prompt. Undefined: it runs in this process. */
  dispatch?: ((request: PromptRequest, context: PromptContext, options: PromptRunOptions) => PromptStream) | undefined
}

/** Reports prompts to OpenTelemetry. It is loaded with the first call of `open`. */
export type PromptTelemetry = {
  open(): Promise<Telemetry>
  /** The version of an agent, if it is known by now. */
  versionOf(backend: Backend): string | undefined
}

/** How one run of an agent ended, for metrics. */
export type RunOutcome = 'ok' | 'failed' | 'timeout' | 'canceled'

/** The kinds of calls that run several prompts. */
export const PART_KINDS = ['parallel_task', 'chain_step', 'compare_backend'] as const
export type PartKind = (typeof PART_KINDS)[number]

export type PromptObserver = {
  waited?(seconds: number): void
  agentEnded?(run: { backend: Backend; outcome: RunOutcome; seconds: number; usage: Usage }): void
  /** One prompt of a batch, whether its agent was started or not; `backend` is as in the request. */
  partEnded?(run: { part: PartKind; backend: string; outcome: RunOutcome; seconds: number }): void
  sessionCreated?(backend: Backend): void
  /** A session could not be written; the store tries again later. */
  sessionFailed?(error: unknown): void
  /** An agent stored a session although the prompt was ephemeral, and it could not be deleted. */
  sessionLeft?(message: string, workdir: string): void
}

/** What a caller says about the run of a prompt, and what it gets. */
export type PromptRunOptions = {
  signal: AbortSignal
  /** Gets every line that the agent prints, unchanged. */
  onLine?: (line: string) => Promise<void>
  /** Decides about what the agent asks for, in place of the approvals of the context. */
  onApproval?: OnApproval | undefined
  /** Learns what the turn has used so far, from agents that say so before its end. */
  onUsage?: ((usage: Usage) => void) | undefined
  execution?: ExecutionOptions
  /** It goes to one process only. If that ends before its first event, a Fault is thrown. */
  isSentOnce?: boolean
}

export type PromptStream = AsyncGenerator<PromptEvent, PromptResult, undefined>
