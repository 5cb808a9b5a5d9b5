/** Runs a prompt in a process that is already up, if there is one for it; otherwise in a process of its own. */
import { Fault } from '../../kit/fault.ts'
import type { AgentCommand, AgentEvent, AgentRequest, ApprovalDecision, ApprovalRequest } from '../adapter/agent.ts'
import type { AgentResult } from '../agent-result.ts'
import { buildCommand } from '../build-command.ts'
import { type AgentRunOptions, runAgent } from '../run-agent.ts'
import type { WarmPool } from './warm-pool.ts'

export type WarmRunOptions = AgentRunOptions & {
  /** Undefined: every prompt gets a process of its own. */
  pool: WarmPool | undefined
  client: string
  sessionTurns: number
  /** Decides about what the agent asks for. */
  onApproval?: ((request: ApprovalRequest) => Promise<ApprovalDecision>) | undefined
}

type AgentRun = AsyncGenerator<AgentEvent, AgentResult, undefined>

/** The contract of `runAgent`. A process that fails before its first event is replaced once, with a warning. */
export async function* runWarmOrCold(request: AgentRequest, command: AgentCommand, options: WarmRunOptions): AgentRun {
  const { pool, client, sessionTurns, onApproval, ...cold } = options
  const isAsked = request.approvalMode === 'always' && onApproval !== undefined
  const warm = isAsked ? { ...request, hasApprover: true } : request
  const wish = { request: warm, client, sessionTurns }
  const ticket = canBeWarm(request, options) ? await pool?.take(wish) : undefined
  if (ticket === undefined) return yield* runAgent(request, command, cold)
  try {
    if (ticket.agent === undefined) return yield* runAgent(request, command, cold)
    const warnings = isAsked ? withoutMissingApprover(request, command) : command.warnings
    const turn = { ...cold, request: warm, command: { ...command, warnings }, ...(isAsked && { onApproval }) }
    const begun = await begin(ticket.agent.prompt(turn))
    if (begun.reason === undefined) return yield* begun.run
    const warning = `${request.backend} did not take the prompt in its warm process (${begun.reason}); it ran in a new one`
    return yield* runAgent(request, { ...command, warnings: [...command.warnings, warning] }, cold)
  } finally {
    ticket.done()
  }
}

/** The lines of another protocol are not what the agent prints, and a trace is in the environment of a process. */
function canBeWarm({ isDryRun, trace }: AgentRequest, { onLine }: WarmRunOptions): boolean {
  return !isDryRun && trace === undefined && onLine === undefined
}

/** Reads the first event. If the agent does not take the prompt: why. */
async function begin(run: AgentRun): Promise<{ run: AgentRun; reason?: undefined } | { reason: string }> {
  try {
    const first = await run.next()
    return { run: continued(run, first) }
  } catch (error) {
    if (error instanceof Fault) return { reason: error.message }
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

/** The warnings that are true although someone decides about what the agent asks for. */
function withoutMissingApprover(request: AgentRequest, command: AgentCommand): readonly string[] {
  const [alone, asked] = [buildCommand(request), buildCommand({ ...request, hasApprover: true })]
  const gone = alone.warnings.filter((warning) => !asked.warnings.includes(warning))
  return command.warnings.filter((warning) => !gone.includes(warning))
}
