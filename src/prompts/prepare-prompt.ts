/** Everything that can be wrong with a prompt is found here, before it waits for its turn or anything is started. */
import { type AgentCommand, type AgentRequest, BACKENDS, type Backend } from '../agents/agent.ts'
import { toAgentEnvironment } from '../agents/agent-environment.ts'
import { judgeExtra } from '../agents/extra-flags.ts'
import { programOf } from '../agents/locate-agents.ts'
import { AGENTS } from '../agents/registry.ts'
import type { AgentOrder } from '../agents/run-agent.ts'
import { refuseBadArguments } from '../kit/process/start-fault.ts'
import type { Session } from '../sessions/session.shape.ts'
import { checkMetadata } from '../sessions/session-rules.ts'
import {
  checkResumption,
  extraOfCaller,
  policyOf,
  sayPolicyChanges,
  settingsOfSession,
  systemPromptOf,
} from './continue-session.ts'
import { backendNotFound } from './faults.ts'
import type { PromptContext } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.shape.ts'
import { type PromptOptions, toAgentRequest } from './to-agent-request.ts'
import { resolveWorkdir, resolveWorkdirAgain } from './workdir-policy.ts'

/** One prompt to be run, and what the request alone does not say. */
export type PromptTask = {
  request: PromptRequest
  /** The session to be continued. */
  resumes?: Session | undefined
  /** The session whose settings a new one takes over. */
  forks?: Session | undefined
  wantsDeltas: boolean
}

export type PreparedPrompt = {
  backend: Backend
  order: Omit<AgentOrder, 'signal'>
  /** As it would be started, but for the files that an agent may need. */
  command: AgentCommand
  isDryRun: boolean
  /** Said with the result. */
  warnings: readonly string[]
}

/** Throws the Fault that says what is wrong. */
export function preparePrompt(task: PromptTask, context: PromptContext): PreparedPrompt {
  const { request } = task
  const backend = knownBackend(request.backend)
  const agent = AGENTS[backend]
  if (task.resumes !== undefined) checkResumption(task.resumes, request)
  const origin = task.resumes ?? task.forks
  const extra = request.extra ?? (origin && extraOfCaller(origin, context.settings.backends[backend])) ?? []
  judgeExtra(extra, { agent, isUnsafeAllowed: context.isUnsafeExtraAllowed })
  checkMetadata(request.metadata ?? {})
  const isDryRun = request.dry_run === true || context.settings.unified_flags.dry_run
  const order = {
    agent,
    request: agentRequestOf(task, backend, context),
    program: programFor(backend, context, isDryRun),
    shownAs: context.caller === 'client' ? agent.executable : undefined,
    env: context.env,
    isRoot: context.isRoot,
    timeoutMs: timeoutOf(request, context),
  }
  // Making the command finds what is wrong with the texts, and that without a directory for its files.
  const command = agent.toCommand(order.request, { ...order, executable: order.program[0] })
  refuseBadExtra(order, command)
  return { backend, order, command, isDryRun, warnings: warningsOf({ task, request: order.request, backend, context }) }
}

function knownBackend(name: string): Backend {
  const backend = BACKENDS.find((known) => known === name)
  if (backend === undefined) throw backendNotFound({ backend: name })
  return backend
}

function agentRequestOf(task: PromptTask, backend: Backend, context: PromptContext): AgentRequest {
  const { request, resumes } = task
  const origin = resumes ?? task.forks
  const now = { own: context.settings.backends[backend], shared: context.settings.unified_flags }
  const { own, shared } = origin === undefined ? now : settingsOfSession(origin, request, now)
  const inherited = resumes === undefined ? task.forks?.system_prompt : systemPromptOf(resumes, AGENTS[backend])
  const options: PromptOptions = {
    prompt: request.prompt,
    workdir: workdirOf(request.workdir ?? origin?.working_dir ?? context.cwd, context),
    model: request.model,
    approvalMode: request.approval_mode,
    sandboxMode: request.sandbox_mode,
    maxTurns: request.max_turns,
    systemPrompt: request.system_prompt ?? inherited,
    // The operator's `verbose: true` cannot be turned off by a request.
    isVerbose: request.verbose === true || undefined,
    isEphemeral: request.ephemeral,
    wantsDeltas: task.wantsDeltas,
    extra: request.extra,
    resumeId: resumes?.backend_session_id,
  }
  return toAgentRequest(options, own, shared)
}

function workdirOf(workdir: string, { workdirs: policy }: PromptContext): string {
  return policy === undefined ? resolveWorkdir(workdir, policy) : resolveWorkdirAgain(workdir, policy)
}

/** The operator may ask what would be done before the agent is installed. */
function programFor(backend: Backend, context: PromptContext, isDryRun: boolean): readonly [string, ...string[]] {
  const located = context.locate(backend)
  const isImagined = isDryRun && context.caller === 'operator' && located.isEnabled && located.program === undefined
  // Where the operator looks for it is not a client's business.
  const wanted = context.caller === 'client' ? AGENTS[backend].executable : located.wanted
  return isImagined ? [located.wanted] : programOf({ ...located, wanted })
}

/** What callers add. Whether there is room for it depends on all else that the agent gets. */
function refuseBadExtra({ agent, request, env: given }: PreparedPrompt['order'], { switches }: AgentCommand): void {
  if (request.extra.length === 0) return
  const env = toAgentEnvironment(given, switches)
  refuseBadArguments({ argv: [agent.executable, ...request.extra], cwd: request.workdir, env })
}

function timeoutOf({ timeout_secs: asked }: PromptRequest, { settings, longestRunMs }: PromptContext): number | null {
  const seconds = asked ?? settings.unified_flags.command_timeout_secs
  const wanted = seconds === 0 ? null : seconds * 1000
  if (wanted === null || longestRunMs === null) return wanted ?? longestRunMs
  return Math.min(wanted, longestRunMs)
}

function warningsOf(prompt: {
  task: PromptTask
  request: AgentRequest
  backend: Backend
  context: PromptContext
}): string[] {
  const { task, request, backend, context } = prompt
  const origin = task.resumes ?? task.forks
  if (origin === undefined) return []
  const anew = { request: { ...task.request, workdir: request.workdir }, wantsDeltas: task.wantsDeltas }
  const today = policyOf(agentRequestOf(anew, backend, context))
  return sayPolicyChanges({ stored: origin.policy, actual: policyOf(request), today })
}
