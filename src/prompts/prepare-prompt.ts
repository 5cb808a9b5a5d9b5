/** Turns a caller's request into the request for an agent: applies settings, resolves directory, program and limits. */
import type { AgentRequest, Backend, Program } from '../agents/adapter/agent.ts'
import { rootsOf } from '../agents/adapter/surroundings.ts'
import { buildCommand } from '../agents/build-command.ts'
import { withoutModeFlags } from '../agents/extra-flags.ts'
import { refuseGitSettings } from '../agents/git-settings.ts'
import { type AgentLocation, backendNames, requireProgram } from '../agents/locate-agents.ts'
import { newScratchDirectory } from '../agents/scratch-files.ts'
import { checkMetadata } from '../sessions/session-rules.ts'
import { describeGap, planBoundary } from './agent-boundary.ts'
import { applySettings, type Settings, silenceLimit } from './apply-settings.ts'
import { readAttachments } from './attachments.ts'
import { confineDefault, isLimiting, refuseBackend } from './ceilings.ts'
import { checkPermissions, chooseSandbox, refuseDeepNesting, refuseOtherMachine } from './check-permissions.ts'
import { chooseServers } from './choose-servers.ts'
import {
  checkResumption,
  checkSameAgent,
  describePolicyChanges,
  extraOfCaller,
  inheritSystemPrompt,
  onlyPermissions,
  settingsOfSession,
  toSessionPolicy,
} from './continue-session.ts'
import { backendNotFound } from './faults.ts'
import type { PreparedPrompt } from './open-turn.ts'
import { closeFiles, refuseAround, refuseClosed } from './private-files.ts'
import type { PromptContext } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.ts'
import { isInDirectory, resolveWorkdir, resolveWorkdirCached } from './workdir-policy.ts'

/** Throws a Fault for a request that cannot be run. */
export function toAgentRequest(request: PromptRequest, context: PromptContext): AgentRequest {
  refuseDeepNesting(context)
  const { ceilings } = context.by
  const now = settingsFor(request.backend, context)
  const located = locateBackend(request.backend, context)
  const { agent, backend } = located
  const { resumes, forks, history, instruction = '' } = request
  const origin = resumes ?? forks
  checkOrigin(request, located)
  const ofSameAgent = origin?.backend === backend ? origin : undefined
  const extra = request.extra ?? (ofSameAgent && extraOfCaller(ofSameAgent, now.own)) ?? []
  checkPermissions({ ...request, extra }, context)
  checkMetadata(request.metadata ?? {})
  const settings = origin === undefined ? now : settingsOfSession(origin, request, now)
  const filledIn = applySettings(inheritSystemPrompt(request, agent), settings)
  const place = resolvePlace(request, context)
  const { workdir } = place
  refuseOtherMachine({ label: request.label, workdir }, context)
  const isDryRun = request.dry_run === true || context.settings.unified_flags.dry_run
  const modes = chooseModes(filledIn, { agent, ceilings })
  const { servers: mcpServers } = serversFor(request, { ...filledIn, ...modes }, context)
  const project = chooseProject(request, { ...context, agent, ...place, hasServers: mcpServers.length > 0 })
  refuseGitSettings({ backend, ...place, env: context.env, ...project })
  const sandbox = chooseSandbox({
    asked: request.sandbox,
    setting: context.settings.sandbox.mode,
    stored: origin?.policy.sandbox,
    approvalMode: modes.approvalMode,
    ceiling: ceilings?.boundary?.setting,
  })
  return {
    agent,
    backend,
    ...place,
    ...filledIn,
    ...project,
    closedFiles: closedFilesFor({ ...context, agent, ...place, isDryRun }),
    ...modes,
    ...(sandbox !== 'off' && planBoundary(sandbox, request, { context, ...place, extraFlags: now.own.extra_flags })),
    prompt: (history?.text ?? '') + request.prompt + instruction,
    extra: ceilings === undefined ? filledIn.extra : withoutModeFlags(filledIn.extra, agent).kept,
    clientTools: request.clientTools?.tools,
    toolChoice: request.clientTools?.choice,
    mcpServers,
    attachments: attachmentsFor(request, isDryRun),
    ...(request.maxCostUsd !== undefined && { maxCostUsd: request.maxCostUsd }),
    ...(!project.isLimited && { allowedCommands: request.allowedCommands }),
    // The beginning of an answer is only seen if the agent prints it in pieces.
    ...(hasFirstEventLimit(context) && { wantsDeltas: true }),
    program: programFor(located, context, isDryRun),
    shownAs: context.by.is === 'client' ? agent.executable : undefined,
    env: context.env,
    trace: context.by.trace,
    isRoot: context.isRoot,
    timeoutMs: chooseTimeout(request, context),
    firstEventTimeoutMs: context.firstEventTimeoutMs,
    silenceMs: silenceLimit(now, agent),
    isDryRun,
    scratchDirectory: newScratchDirectory(),
  }
}

/** A dry run shows the command without what is in the files. */
function attachmentsFor({ attachments = [] }: PromptRequest, isDryRun: boolean): AgentRequest['attachments'] {
  if (attachments.length === 0) return undefined
  const files = readAttachments(attachments)
  return isDryRun ? files.map((file) => ({ ...file, data: `<${file.size} bytes>` })) : files
}

type ToolModes = Pick<AgentRequest, 'approvalMode' | 'sandboxMode' | 'withoutTools'>

function serversFor(request: PromptRequest, modes: ToolModes, promptContext: Pick<PromptContext, 'settings' | 'by'>) {
  const { settings, by } = promptContext
  if (request.mcp_servers === undefined && settings.mcp_servers.length === 0) return { servers: [], warnings: [] }
  const { approvalMode, sandboxMode, withoutTools } = modes
  const asked = { asked: request.mcp_servers, defined: settings.mcp_servers, ceilings: by.ceilings }
  return chooseServers({ ...asked, approvalMode, sandboxMode, withoutTools })
}

type Modes = Pick<AgentRequest, 'approvalMode' | 'sandboxMode'>

function chooseModes(
  { approvalMode, sandboxMode }: Modes,
  { agent, ceilings }: Pick<AgentRequest, 'agent'> & Pick<PromptContext['by'], 'ceilings'>,
): Modes {
  const modes = { approvalMode, sandboxMode }
  return 'profile' in agent && ceilings !== undefined ? confineDefault(modes, ceilings) : modes
}

type ProjectParts = Pick<AgentRequest, 'ignoresProject' | 'isLimited' | 'knownGitSettings' | 'surroundings'>
type PlaceOf = Pick<AgentRequest, 'workdir' | 'additionalDirectories'>
type Place = Pick<PromptContext, 'by' | 'env'> &
  Pick<AgentRequest, 'agent' | 'workdir' | 'additionalDirectories'> & { hasServers: boolean }

/** Under a ceiling, an agent must not use settings that another agent may have written, nor those that widen its modes. */
function chooseProject(
  request: PromptRequest,
  { by, agent, env, workdir, additionalDirectories, hasServers }: Place,
): ProjectParts {
  const { ignoresProject: isAsked, knownGitSettings, clientTools } = request
  const isLimited = isLimiting(by.ceilings)
  const ignoresProject = isAsked === true || isLimited
  const isPrivate = ignoresProject || hasServers || clientTools !== undefined
  return {
    ignoresProject,
    isLimited,
    ...(knownGitSettings !== undefined && { knownGitSettings }),
    surroundings: isPrivate ? agent.readSurroundings?.({ env, workdir, additionalDirectories }) : undefined,
  }
}

type ClosedFacts = Pick<PromptContext, 'by' | 'privateFiles'> &
  Pick<AgentRequest, 'agent' | 'workdir' | 'additionalDirectories' | 'isDryRun'>

/** A dry run must not show where the files of drover are. */
function closedFilesFor({ by, privateFiles, agent, isDryRun, ...place }: ClosedFacts): readonly string[] {
  if (privateFiles === undefined || !isLimiting(by.ceilings)) return []
  const [workdir, ...others] = rootsOf(place)
  const closed = closeFiles(privateFiles, workdir)
  for (const directory of others) refuseClosed(closed, directory)
  if (!agent.abilities.os_sandbox) for (const root of rootsOf(place)) refuseAround(closed, root)
  return isDryRun ? ['<private>'] : closed
}

/** A session is resumed with the agent that it began with; so is a fork that quotes its conversation. */
function checkOrigin(request: PromptRequest, located: AgentLocation): void {
  const { resumes, forks, history } = request
  if (resumes !== undefined) checkResumption(resumes, request)
  const continued = resumes ?? (history === undefined ? undefined : forks)
  if (continued !== undefined) checkSameAgent(continued, located)
}

/** Today's settings for a backend, and the ceilings of the caller. Throws a Fault if the caller cannot use such a backend. */
export function settingsFor(backend: Backend, { settings, by }: Pick<PromptContext, 'settings' | 'by'>): Settings {
  // First: a limited caller does not learn which others there are.
  refuseBackend(backend, by.ceilings)
  const own = Object.hasOwn(settings.backends, backend) ? settings.backends[backend] : undefined
  if (own === undefined) throw backendNotFound({ backend, known: backendNames(settings.backends) })
  return { own, shared: settings.unified_flags, ceilings: by.ceilings }
}

function hasFirstEventLimit({ firstEventTimeoutMs = null }: PromptContext): boolean {
  return firstEventTimeoutMs !== null
}

function locateBackend(name: string, context: PromptContext): AgentLocation {
  const located = context.locate(name)
  if (located === undefined) throw backendNotFound({ backend: name, known: backendNames(context.settings.backends) })
  return located
}

/** Additional directories in the working directory need not be added. */
function resolvePlace(request: PromptRequest, context: PromptContext): Required<PlaceOf> {
  const { workdir: asked, additional_directories: more, resumes, forks } = request
  const origin = resumes ?? forks
  const workdir = resolvePolicyWorkdir(asked ?? origin?.working_dir ?? context.cwd, context)
  const added = (more ?? origin?.policy.additional_directories ?? []).map((directory) =>
    resolveWorkdir(directory, context.workdirs),
  )
  return { workdir, additionalDirectories: [...new Set(added)].filter((each) => !isInDirectory(each, workdir)) }
}

function resolvePolicyWorkdir(workdir: string, { workdirs: policy }: PromptContext): string {
  return policy === undefined ? resolveWorkdir(workdir, policy) : resolveWorkdirCached(workdir, policy)
}

/** The operator may try a dry run before the agent is installed. */
function programFor(located: AgentLocation, context: PromptContext, isDryRun: boolean): Program {
  const isOnlyShown = isDryRun && context.by.is === 'user' && located.isEnabled && located.program === undefined
  // A client must not learn which command the operator configured.
  const wanted = context.by.is === 'client' ? located.agent.executable : located.wanted
  return isOnlyShown ? [located.wanted] : requireProgram(located, wanted)
}

function chooseTimeout(
  { timeout_secs: asked }: PromptRequest,
  { settings, longestRunMs }: PromptContext,
): number | null {
  const seconds = asked ?? settings.unified_flags.command_timeout_secs
  const wanted = seconds === 0 ? null : seconds * 1000
  if (wanted === null || longestRunMs === null) return wanted ?? longestRunMs
  return Math.min(wanted, longestRunMs)
}

/** Finds everything that is wrong with a prompt before it waits or anything is started. */
export function preparePrompt(
  request: PromptRequest,
  context: PromptContext,
): Pick<PreparedPrompt, 'agentRequest' | 'command'> {
  const agentRequest = toAgentRequest(request, context)
  for (const name of request.fallback ?? []) settingsFor(name, context)
  const command = buildCommand(agentRequest)
  const { missingBoundary: missing } = agentRequest
  const changes = [
    ...(request.history?.notes ?? []),
    ...serversFor(request, agentRequest, context).warnings,
    ...(missing === undefined ? [] : [`the agent runs without a sandbox: ${missing}`]),
    ...describeGap(agentRequest),
    ...policyChanges(request, agentRequest, context),
  ]
  if (changes.length === 0) return { agentRequest, command }
  return { agentRequest, command: { ...command, warnings: [...changes, ...command.warnings] } }
}

function policyChanges(request: PromptRequest, agentRequest: AgentRequest, context: PromptContext): string[] {
  const origin = request.resumes ?? request.forks
  if (origin === undefined) return []
  const today = toSessionPolicy(applySettings(request, settingsFor(agentRequest.backend, context)))
  const actual = toSessionPolicy(agentRequest)
  if (origin.backend === agentRequest.backend) {
    return describePolicyChanges({ stored: origin.policy, actual, today })
  }
  const stored = onlyPermissions(origin.policy, actual)
  return describePolicyChanges({ stored, actual, today: onlyPermissions(today, actual) })
}
