/** Runs a prompt in a process that is already up, if there is one for it; otherwise in a separate process. */
import { Fault } from '../../kit/fault.ts'
import type { AgentCommand, AgentEvent, AgentRequest, Usage } from '../adapter/agent.ts'
import { toolServersOf } from '../adapter/tool-server-place.ts'
import type { AgentResult, AgentRun } from '../agent-result.ts'
import { buildCommand } from '../build-command.ts'
import type { ToolRunOptions } from '../client-tools/run-with-tools.ts'
import { runAgent } from '../run-agent.ts'
import type { AgentRunOptions } from '../run-turn.ts'
import { mayHaveWorked } from '../warm/faults.ts'
import type { WarmPool } from './warm-pool.ts'

export type WarmRunOptions = AgentRunOptions & {
  /** Undefined: every prompt gets a separate process. */
  pool: WarmPool | undefined
  client: string
  sessionTurns: number
  /** The prompt does not go to a second process if the first one may have worked on it. */
  isSentOnce?: boolean | undefined
  /** For a request with functions of the client. */
  clientTools?: Pick<ToolRunOptions, 'onToolRequest' | 'newCallId'> | undefined
}

/**
 * The contract of `runAgent`. A process that fails before its first event is replaced once, with a warning; with
 * `isSentOnce` it throws the Fault if it had the prompt.
 */
export async function* runWarmOrCold(request: AgentRequest, command: AgentCommand, options: WarmRunOptions): AgentRun {
  const { clientTools, ...rest } = options
  if (request.clientTools === undefined || clientTools === undefined)
    return yield* runWithItsServers(request, command, rest)
  const { runWithTools } = await import('../client-tools/run-with-tools.ts')
  let usage: Usage | undefined
  const onUsage = (used: Usage) => {
    usage = used
    options.onUsage?.(used)
  }
  const run = (limited: AgentRequest, stop: AbortSignal) =>
    runWithItsServers(limited, command, { ...rest, onUsage, stop })
  return yield* runWithTools(request, { ...clientTools, usageSoFar: () => usage, run })
}

type OneRunOptions = Omit<WarmRunOptions, 'clientTools'>

async function* runWithItsServers(request: AgentRequest, command: AgentCommand, options: OneRunOptions): AgentRun {
  const run = () => runSomewhere(request, command, options)
  if ((request.mcpServers ?? []).length === 0) return yield* run()
  const { runWithServers } = await import('../mcp-servers/run-with-servers.ts')
  return yield* runWithServers(request, { owner: options.owner, run })
}

async function* runSomewhere(request: AgentRequest, command: AgentCommand, options: OneRunOptions): AgentRun {
  const { pool, client, sessionTurns, onApproval, isSentOnce = false, ...common } = options
  const isAsked = request.approvalMode === 'always' && onApproval !== undefined && pool !== undefined
  const plain = { request, command, onApproval: undefined }
  const asked = isAsked ? { ...askedRun(request, command), onApproval } : plain
  // An agent that speaks ACP asks in a separate process, too, and so needs no process of the pool for it.
  const speaksAcp = 'profile' in request.agent
  const alone = speaksAcp ? asked : plain
  const runAlone = (warnings: readonly string[] = []) =>
    runAgent(
      alone.request,
      { ...alone.command, warnings: [...alone.command.warnings, ...warnings] },
      { ...common, onApproval: alone.onApproval },
    )
  const poolRequest = { request: speaksAcp ? request : asked.request, client, sessionTurns }
  const lease = canBeWarm(request, options) ? await pool?.take(poolRequest) : undefined
  if (lease === undefined) return yield* runAlone()
  try {
    if (lease.agent === undefined) return yield* runAlone()
    const begun = await begin(lease.agent.prompt({ ...common, ...asked }))
    if (begun.refusal === undefined) return yield* begun.run
    if (isSentOnce && mayHaveWorked(begun.refusal)) throw begun.refusal
    const warning = `${request.backend} did not take the prompt in its warm process (${begun.refusal.message}); it ran in a new one`
    return yield* runAlone([warning])
  } finally {
    lease.done()
  }
}

/** The run of an agent whose requests for permission are decided. */
function askedRun(request: AgentRequest, command: AgentCommand) {
  const warnings = withoutMissingApprover(request, command)
  return { request: { ...request, hasApprover: true }, command: { ...command, warnings } }
}

/**
 * The lines of another protocol are not what the agent prints. The connections of MCP servers belong to one turn, and agents learn of
 * their tools when they start.
 */
function canBeWarm(request: AgentRequest, { onLine }: Pick<WarmRunOptions, 'onLine'>): boolean {
  return !request.isDryRun && onLine === undefined && toolServersOf(request).length === 0 && !request.withoutTools
}

/** Reads the first event. If the agent does not take the prompt: why. */
async function begin(run: AgentRun): Promise<{ run: AgentRun; refusal?: undefined } | { refusal: Fault }> {
  try {
    const first = await run.next()
    return { run: continued(run, first) }
  } catch (error) {
    if (error instanceof Fault) return { refusal: error }
    throw error
  }
}

async function* continued(run: AgentRun, first: IteratorResult<AgentEvent, AgentResult>): AgentRun {
  try {
    let next = first
    for (; next.done !== true; next = await run.next()) yield next.value
    return next.value
  } finally {
    await run.return(undefined as never)
  }
}

/** The warnings that are true even if a person or a client decides about what the agent asks for. */
function withoutMissingApprover(request: AgentRequest, command: AgentCommand): readonly string[] {
  const [alone, asked] = [buildCommand(request), buildCommand({ ...request, hasApprover: true })]
  const gone = alone.warnings.filter((warning) => !asked.warnings.includes(warning))
  return command.warnings.filter((warning) => !gone.includes(warning))
}
