/** The contexts that prompts run in: what a caller may use, and which limits it has. */
import type { Program } from '../agents/adapter/agent.ts'
import { locateAgent } from '../agents/locate-agents.ts'
import type { Config } from '../config/config.shape.ts'
import type { Executions } from '../executions/local-executions.ts'
import { resolveKeepMode } from '../executions/store/execution-states.ts'
import { atDepth } from '../kit/process/environment-variables.ts'
import type { Caller } from '../prompts/caller.ts'
import { createSlots, type Slots } from '../prompts/concurrency-slots.ts'
import type { BudgetSource } from '../prompts/decide-budget.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import { chooseDefaultWorkdir, createWorkdirPolicy } from '../prompts/workdir-policy.ts'

type ContextParts = {
  /** Called when the first budget is reserved. */
  openBudgets(): Promise<Pick<BudgetSource, 'reserve'>>
  settings: Config
  /** The entries of the setting `budgets` now. The default is those in the settings. */
  budgets: (() => Config['budgets']) | undefined
  records: Executions
  /** What all prompts of the process share. */
  shared: Omit<PromptContext, 'by' | 'settings' | 'isUnsafeExtraAllowed' | 'executions' | 'longestRunMs'>
  dispatch: PromptContext['dispatch']
  /** The command of the demo agent, for callers that ask for it. */
  demoAgent: Program | undefined
}

export class PromptContexts {
  readonly #parts: ContextParts
  readonly #shared: Omit<PromptContext, 'by' | 'longestRunMs'>
  readonly #forClients: Pick<PromptContext, 'workdirs' | 'longestRunMs' | 'firstEventTimeoutMs' | 'dispatch'>
  /** For commands of the user that a server does: they wait as long as in a separate process. */
  #slotsOfCommands: Slots | undefined

  constructor(parts: ContextParts) {
    const { settings, records, shared, dispatch } = parts
    const { server, unified_flags: flags } = settings
    this.#parts = parts
    this.#shared = { ...shared, settings, isUnsafeExtraAllowed: server.allow_unsafe_extra, executions: records }
    this.#forClients = {
      workdirs: createWorkdirPolicy({
        allowed: server.allowed_workdir_prefixes,
        blocked: server.blocked_workdir_prefixes,
      }),
      firstEventTimeoutMs: shortestMs([server.first_event_timeout_secs]),
      longestRunMs: shortestMs([server.request_timeout_secs, flags.command_timeout_secs]),
      dispatch,
    }
  }

  for(by: Caller): PromptContext {
    const context = { ...this.#shared, by, budgets: this.#budgetsFor(by) }
    const nested = by.depth === undefined ? {} : { env: atDepth(this.#shared.env, by.depth) }
    if (by.is === 'client') return { ...context, ...this.#forClients, ...nested, ...this.#placeOf(by) }
    const workdirs = by.isConfined === true ? this.#forClients.workdirs : undefined
    if (by.place === undefined) return { ...context, ...nested, workdirs, longestRunMs: null }
    const { env, cwd, isDemo } = by.place
    const { settings, records, demoAgent } = this.#parts
    const demo = isDemo ? demoAgent : undefined
    const keep = resolveKeepMode(settings.executions.keep, 'none')
    this.#slotsOfCommands ??= slotsOfUser(settings)
    return {
      ...context,
      ...{ env, cwd, workdirs, slots: this.#slotsOfCommands, longestRunMs: null },
      locate: (backend) => locateAgent(backend, { env, cwd, backends: settings.backends, demo }),
      executions: { begin: (start) => records.begin({ keep, ...start }) },
    }
  }

  /** Where a client works that may not work everywhere. */
  #placeOf({ ceilings }: Caller): Partial<Pick<PromptContext, 'cwd' | 'workdirs'>> {
    const ofKey = ceilings?.directories
    const { workdirs } = this.#forClients
    if (workdirs === undefined || (ofKey === undefined && workdirs.allowed.length === 0)) return {}
    const own = ofKey === undefined ? workdirs : { ...workdirs, ofKey }
    return { cwd: chooseDefaultWorkdir(this.#shared.cwd, own), workdirs: own }
  }

  #budgetsFor(by: Caller): BudgetSource | undefined {
    const { settings, budgets, openBudgets } = this.#parts
    if (budgets === undefined && settings.budgets.length === 0 && (by.budgets ?? []).length === 0) return undefined
    return {
      // They may change while a run is driven.
      get entries() {
        return budgets?.() ?? settings.budgets
      },
      reserve: async (asked) => await (await openBudgets()).reserve(asked),
    }
  }

  /** The same for the agents of a driven run, which has its own limits. It stays on this machine, its executions are kept, and a server that stops interrupts it. */
  forRun(by: Caller): PromptContext {
    const { dispatch: _, firstEventTimeoutMs: _time, ending: _ending, ...context } = this.for(by)
    const own = { by: { ...by, fallback: [] }, workdirs: undefined, longestRunMs: null }
    return { ...context, ...own, executions: this.#parts.records }
  }
}

/** The agents of one user. Everything else waits. */
export function slotsOfUser({ server }: Config, atOnce = 1): Slots {
  return createSlots({ limit: Math.max(server.max_concurrent_runs, atOnce), queueLimit: Number.POSITIVE_INFINITY })
}

/** 0 means no limit. */
function shortestMs(seconds: readonly number[]): number | null {
  const limits = seconds.filter((limit) => limit > 0)
  return limits.length === 0 ? null : Math.min(...limits) * 1000
}
