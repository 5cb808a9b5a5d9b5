/** The options of a driven run: from what the caller says, from an earlier driver, and from the settings. */

import type { Backend } from '../../agents/adapter/agent.ts'
import {
  type AgentLocation,
  type BackendSettings,
  backendNames,
  lacksLogin,
  requireProgram,
} from '../../agents/locate-agents.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { nearestProgram } from '../../kit/match-names.ts'
import { findProgram } from '../../kit/process/find-program.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import type { Caller } from '../../prompts/caller.ts'
import { mayUseBackend, refuseBackend } from '../../prompts/ceilings.ts'
import { chooseServers } from '../../prompts/choose-servers.ts'
import { type CostGap, describeCostGap, findCostGap } from '../../prompts/decide-cost.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { billingOf, modelBefore } from '../../prompts/turn-cost.ts'
import { checkPreparationPath } from '../../workspace/prepare/preparation-paths.ts'
import { driveCapUnsupported, driveProgramMissing, driveSandboxRequired } from '../faults.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import { listPrograms, whyNoScript } from '../run-checks.ts'

/** What the caller says; undefined where it says nothing. */
export type GivenOptions = { readonly [F in keyof Options]?: Options[F] | undefined }

/** Whether anything is said about how a run is driven. Following its pull request is asked for in its own way. */
export function namesOptions({ follow, deliver, ...given }: GivenOptions): boolean {
  const named = follow === true ? given : { deliver, ...given }
  return Object.values(named).some((each) => each !== undefined)
}

/** Whether it is said what happens at limits of agents. */
export function choosesLimit({ on_limit, fallback, max_wait_ms }: GivenOptions): boolean {
  return [on_limit, fallback, max_wait_ms].some((each) => each !== undefined)
}

/** The same as messages say it. */
type SaidOptions = Omit<
  GivenOptions,
  'checks' | 'mcp_servers' | 'max_cost_microusd' | 'max_time_ms' | 'max_wait_ms'
> & {
  readonly checks?: readonly string[] | undefined
  readonly mcp_servers?: readonly string[] | undefined
  readonly max_cost_usd?: number | undefined
  readonly max_time_secs?: number | undefined
  readonly max_wait_secs?: number | undefined
}

export function toGivenOptions({
  checks,
  mcp_servers: servers,
  max_cost_usd: cost,
  max_time_secs: time,
  max_wait_secs: wait,
  ...said
}: SaidOptions): GivenOptions {
  return {
    ...said,
    ...(checks !== undefined && { checks: [...checks] }),
    ...(servers !== undefined && { mcp_servers: [...servers] }),
    ...(cost !== undefined && { max_cost_microusd: Math.round(cost * 1_000_000) }),
    ...(time !== undefined && { max_time_ms: time * 1000 }),
    ...(wait !== undefined && { max_wait_ms: wait * 1000 }),
  }
}

type SandboxUse = NonNullable<Options['sandbox']>

type SandboxSettings = {
  readonly drive: { readonly sandbox: SandboxUse }
  readonly sandbox: { readonly mode: SandboxUse }
}

/** The parts of the configuration that drives depend on. */
export type DriveSettings = {
  readonly default_backend: Backend
  readonly backends: BackendSettings
  readonly sandbox: SandboxSettings['sandbox']
  readonly drive: Pick<Options, 'rounds' | 'attempts' | 'deliver'> & {
    readonly approval_mode: Options['approval_mode']
    readonly actions: number
    readonly max_tokens: number
    readonly max_cost_usd: number
    readonly checks: readonly string[]
    readonly require_checks: boolean
    readonly check_timeout_secs: number
    readonly stall_secs: number
    readonly setup: readonly string[]
    readonly copy: readonly string[]
    readonly share: readonly string[]
    readonly setup_timeout_secs: number
    readonly baseline: NonNullable<Options['baseline']>
    readonly sandbox: SandboxUse
    readonly on_flags: NonNullable<Options['on_flags']>
    readonly on_limit: NonNullable<Options['on_limit']>
    readonly max_wait_secs: number
    readonly fallback: readonly string[]
    readonly follow: boolean
    readonly follow_rounds: number
    readonly follow_poll_secs: number
    readonly reviewers: readonly string[]
    readonly ready: boolean
  }
}

export type OptionSources = {
  settings: DriveSettings
  prompts: Pick<PromptContext, 'locate' | 'by' | 'env' | 'settings'>
  isDemo: boolean
}

function chooseCaps(given: GivenOptions, before: Pick<Options, keyof Caps | 'max_time_ms'>) {
  return withoutUndefined({
    max_tokens: given.max_tokens ?? before.max_tokens,
    max_cost_microusd: given.max_cost_microusd ?? before.max_cost_microusd,
    max_time_ms: given.max_time_ms ?? before.max_time_ms,
  })
}

/** Of a new run. A run that continues keeps what it has, also if that is none. */
function standardCaps({ max_tokens: tokens, max_cost_usd: cost }: DriveSettings['drive']): Caps {
  return { ...(tokens > 0 && { max_tokens: tokens }), ...(cost > 0 && { max_cost_microusd: cost * 1_000_000 }) }
}

/** What the caller says, else as before, else as in the settings. Agents must be installed. */
export function completeOptions(given: GivenOptions, before: Options | undefined, sources: OptionSources): Options {
  const { settings, isDemo } = sources
  const { drive } = settings
  const said = { ...before, ...withoutUndefined(given) }
  const caps = chooseCaps(given, before ?? standardCaps(drive))
  const agents = chooseAgents(given, before, { ...sources, caps })
  const { approval_mode, checks, setup, baseline, copy, share, rounds, deliver, on_limit } = { ...drive, ...said }
  for (const command of [...setup, ...checks]) parseCheck(command)
  refuseMissingPrograms({ setup, checks, baseline }, sources.prompts)
  for (const path of [...copy, ...share]) checkPreparationPath(path)
  return {
    ...agents,
    ...caps,
    approval_mode,
    is_demo: isDemo,
    checks: [...checks],
    check_timeout_ms: drive.check_timeout_secs * 1000,
    setup: [...setup],
    copy: [...copy],
    share: [...share],
    setup_timeout_ms: drive.setup_timeout_secs * 1000,
    baseline,
    rounds,
    attempts: drive.attempts,
    stall_ms: drive.stall_secs * 1000,
    deliver,
    on_flags: drive.on_flags,
    on_limit,
    max_wait_ms: said.max_wait_ms ?? drive.max_wait_secs * 1000,
    ...followOptions(said.follow, drive),
    sandbox: chooseSandbox(said.sandbox, settings, sources.prompts.by),
    ...chooseMcpServers(said.mcp_servers, sources.prompts),
  }
}

/** Throws a Fault for a server that the caller cannot use. What an agent may do in an action is decided later. */
function chooseMcpServers(
  asked: readonly string[] | undefined,
  { settings, by: { ceilings } }: OptionSources['prompts'],
): Pick<Options, 'mcp_servers'> {
  const modes = { approvalMode: 'default', sandboxMode: 'default', withoutTools: false } as const
  const { servers } = chooseServers({ asked, defined: settings.mcp_servers, ceilings, ...modes })
  return servers.length === 0 ? {} : { mcp_servers: servers.map(({ name }) => name) }
}

function followOptions(wanted: boolean | undefined, drive: DriveSettings['drive']) {
  const { follow, follow_rounds, reviewers, ready } = drive
  return {
    ...{ follow: wanted ?? follow, follow_rounds, reviewers: [...reviewers], ready },
    poll_ms: drive.follow_poll_secs * 1000,
  }
}

/** Throws `drive_sandbox_required`. */
export function chooseSandbox(
  wanted: SandboxUse | undefined,
  { drive, sandbox }: SandboxSettings,
  { ceilings }: Pick<Caller, 'ceilings'>,
): SandboxUse {
  const by = [
    ...(drive.sandbox === 'required' ? ['drive.sandbox'] : []),
    ...(sandbox.mode === 'required' ? ['sandbox.mode'] : []),
    ...(ceilings?.boundary === undefined ? [] : [ceilings.boundary.setting]),
  ][0]
  if (by === undefined) return wanted ?? drive.sandbox
  if (wanted === 'off') throw driveSandboxRequired({ by })
  return 'required'
}

type Commands = { readonly setup: readonly string[]; readonly checks: readonly string[]; readonly baseline: string }

/** What a setup installs can only be known after it, when every check is tried, unless that is skipped. */
function refuseMissingPrograms({ setup, checks, baseline }: Commands, { env }: Pick<PromptContext, 'env'>): void {
  const isTried = setup.length > 0 && baseline !== 'skip'
  for (const command of [...setup.slice(0, 1), ...(isTried ? [] : checks)]) refuseMissingProgram(command, env)
}

/** Throws `drive_program_missing`. A path may lead into the worktree, which does not exist yet, so only names are looked for. */
export function refuseMissingProgram(command: string, env: PromptContext['env']): void {
  const places = { env, cwd: '/' }
  const [program] = parseCheck(command)
  if (program.includes('/') || findProgram(program, places) !== undefined) return
  const nearest = nearestProgram(program, listPrograms(places))
  const todo = nearest === undefined ? 'install it or correct PATH' : `did you mean ${nearest}?`
  throw driveProgramMissing({ command, problem: `there is no program ${program}; ${todo}` })
}

/** Throws `drive_program_missing` for a script that package.json in the directory of a new run does not have. */
export function refuseMissingScripts({ setup = [], checks, baseline }: Options, directory: string): void {
  for (const command of [...setup.slice(0, 1), ...(baseline === 'skip' ? [] : checks)]) {
    const problem = whyNoScript(command, directory)
    if (problem === undefined) continue
    const todo = 'if a setup or the work creates it, use --baseline skip (over HTTP: baseline)'
    throw driveProgramMissing({ command, problem: `${problem}; ${todo}`.replace('?;', '?') })
  }
}

type Reviewer = Pick<Options, 'review_backend' | 'unpriced_reviewer'>
type Agents = Reviewer & Pick<Options, 'backend' | 'model' | 'review_model' | 'fallback'>
type Caps = Pick<Options, 'max_tokens' | 'max_cost_microusd'>
type Choice = OptionSources & { caps: Caps }

function chooseAgents(given: GivenOptions, before: Options | undefined, choice: Choice): Agents {
  const { settings, prompts } = choice
  const backend = given.backend ?? before?.backend ?? settings.default_backend
  const named = given.review_backend ?? before?.review_backend
  const reviewer = named === undefined ? chooseReviewer(backend, choice) : { review_backend: named }
  const { review_backend: review } = reviewer
  const { ceilings } = prompts.by
  const fallback = [...new Set(given.fallback ?? before?.fallback ?? settings.drive.fallback)].filter(
    (each) => given.fallback !== undefined || mayUseBackend(each, ceilings),
  )
  for (const each of new Set([backend, review, ...fallback])) {
    refuseBackend(each, ceilings)
    const located = prompts.locate(each)
    if (located === undefined) throw backendNotFound({ backend: each, known: backendNames(settings.backends) })
    // A client must not learn which command the operator configured.
    requireProgram(located, prompts.by.is === 'client' ? located.agent.executable : located.wanted)
  }
  const models = withoutUndefined({
    model: given.backend === undefined ? (given.model ?? before?.model) : given.model,
    review_model:
      given.review_backend === undefined ? (given.review_model ?? before?.review_model) : given.review_model,
  })
  const standIns = fallback.map((each) => ({ backend: each, model: undefined }))
  const chosen = [{ backend, model: models.model }, { backend: review, model: models.review_model }, ...standIns]
  refuseCaps(chosen, choice)
  return { backend, ...reviewer, ...models, fallback }
}

/** Throws `drive_cap_unsupported`. */
function refuseCaps(agents: readonly { backend: string; model: string | undefined }[], choice: Choice): void {
  for (const { backend, model } of agents) {
    const located = choice.prompts.locate(backend)
    const unkept = located && unkeptCap(located, model, choice)
    // An agent that was named may name its model when it begins.
    if (unkept !== undefined && unkept.gap !== 'model') throw driveCapUnsupported({ ...unkept, backend })
  }
}

/** Another agent sees what the first one overlooks. One without a login would stop the run after the work is done. */
function chooseReviewer(backend: Backend, choice: Choice): Reviewer {
  const { settings, prompts } = choice
  const worker = prompts.locate(backend)
  const isLoginSeen = worker !== undefined && !lacksLogin(worker, prompts.env)
  const isUsable = (each: Backend) => {
    const located = prompts.locate(each)
    if (located?.isEnabled !== true || located.program === undefined) return false
    return mayUseBackend(each, prompts.by.ceilings) && !(isLoginSeen && lacksLogin(located, prompts.env))
  }
  const unkept = (each: Backend) => {
    const located = prompts.locate(each)
    return located && unkeptCap(located, undefined, choice)
  }
  const others = backendNames(settings.backends).filter((each) => each !== backend && isUsable(each))
  const [first] = others
  return {
    review_backend: others.find((each) => unkept(each) === undefined) ?? backend,
    ...(first !== undefined && unkept(first)?.gap !== undefined && { unpriced_reviewer: first }),
  }
}

/** The reviewer in the options of a run whose limits are those of several. */
export function reviewerIn({ review_backend, unpriced_reviewer }: Options): Reviewer {
  return { review_backend, ...(unpriced_reviewer !== undefined && { unpriced_reviewer }) }
}

type UnkeptCap = { flag: string; gap?: CostGap; why: string; todo: string }

/** A limit that cannot be kept, because what counts for it is not known. */
function unkeptCap(located: AgentLocation, asked: string | undefined, choice: Choice): UnkeptCap | undefined {
  const { caps, prompts } = choice
  const { backend, agent } = located
  const model = modelBefore(located, asked, prompts)
  const gap = caps.max_cost_microusd === undefined ? undefined : findCostGap(model, billingOf(located, prompts))
  if (gap !== undefined) return { flag: '--max-cost', gap, ...describeCostGap(gap, { backend, model }) }
  if (caps.max_tokens === undefined || agent.reports.tokens) return undefined
  return {
    flag: '--max-tokens',
    why: `${backend} does not report its tokens`,
    todo: 'use another agent, or --max-time',
  }
}
