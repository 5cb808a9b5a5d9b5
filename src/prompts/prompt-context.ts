/** What stands around every prompt of a process: settings, agents, sessions, limits. Given once, used by all operations. */
import type { Backend, Usage } from '../agents/adapter/agent.ts'
import type { Located } from '../agents/locate-agents.ts'
import type { Clock } from '../kit/clock.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import type { AgentSettings, SharedSettings } from './apply-settings.ts'
import type { Slots } from './slots.ts'
import type { WorkdirPolicy } from './workdir-policy.ts'

/** The parts of the configuration that prompts depend on. */
type PromptSettings = {
  backends: Readonly<Record<Backend, AgentSettings & { enabled: boolean; command: string }>>
  unified_flags: SharedSettings & { dry_run: boolean; command_timeout_secs: number }
  session: { default_tags: readonly string[] }
  parallel: { max_workers: number }
}

export type PromptContext = {
  /**
   * `operator`: the person at the command line. `client`: somebody over the network, whose sessions are tagged `api`,
   * and whose dry runs need an agent and keep a session like any other prompt.
   */
  caller: 'operator' | 'client'
  settings: PromptSettings
  env: Readonly<Record<string, string | undefined>>
  /** Where prompts that name no directory work. */
  cwd: string
  isRoot: boolean
  clock: Clock
  /** Where an agent is, and whether it may be used. */
  locate(backend: Backend): Located
  /** Opened when the first session is kept: a prompt that keeps none must not fail for want of a store. */
  openStore(): Promise<SessionStore>
  slots: Slots
  /** Undefined: anywhere. */
  workdirs?: WorkdirPolicy | undefined
  isUnsafeExtraAllowed: boolean
  /** The longest that any agent may run; null: no limit but those of the settings and the request. */
  longestRunMs: number | null
  observer?: PromptObserver
}

/** How one run of an agent ended, for those who count. */
export type RunOutcome = 'ok' | 'failed' | 'timeout' | 'canceled'

/** What a prompt may be a part of. */
export const PART_KINDS = ['parallel_task', 'chain_step', 'compare_backend'] as const
export type PartKind = (typeof PART_KINDS)[number]

export type PromptObserver = {
  waited?(seconds: number): void
  agentEnded?(run: { backend: Backend; outcome: RunOutcome; seconds: number; usage: Usage }): void
  /** One of several prompts of a call, whether its agent was started or not; the backend is as it was asked for. */
  partEnded?(run: { part: PartKind; backend: string; outcome: RunOutcome; seconds: number }): void
  sessionCreated?(backend: Backend): void
  /** A session that could not be written; it is tried again later. */
  sessionFailed?(error: unknown): void
}
