/** Finds out what an agent can do: starts it, opens a session and, if wanted, sends a prompt. */
import { Fault, isFault } from '../../kit/fault.ts'
import type { AcpAgent, AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { withLoginSteps } from '../adapter/agent-login.ts'
import { failureCode } from '../adapter/failure.ts'
import type { JsonRecord } from '../adapter/json-fields.ts'
import { createLongLivedAgent } from '../warm/active-turn.ts'
import { agentDisconnected, agentRequestFailed } from '../warm/faults.ts'
import { startWarmProcess } from '../warm/warm-process.ts'
import { AcpProcess } from './acp-process.ts'
import { backendProbeFailed } from './faults.ts'
import type { AgentInfo, SessionState } from './protocol.ts'
import { failureOfError } from './turn-end.ts'

type Probe = {
  agent: AcpAgent
  request: AgentRequest
  command: AgentCommand
  /** Whether to send the prompt of the request. */
  sendsPrompt: boolean
  /** How long the agent may take to answer each request. */
  timeoutMs: number
  signal: AbortSignal
}

export type ProbeReport = {
  info: AgentInfo
  session: SessionState
  /** What the agent answered to the prompt, if one was sent. */
  answer?: { text: string; hasUsage: boolean; durationMs: number }
  /** How sessions are continued, where that was seen to work; undefined if it was not tried. */
  resume?: 'session/load' | 'session/resume' | 'no' | undefined
}

/** Throws a Fault with one sentence if the agent does not do what it should. */
export async function probeAgent(probe: Probe): Promise<ProbeReport> {
  const first = await withProcess(probe, async (acp) => {
    const info = await acp.initialize()
    const session = await acp.openSession(probe.request)
    return { info, session, ...(probe.sendsPrompt && { answer: await tryPrompt(acp, probe, session) }) }
  })
  if (first.answer === undefined) return first
  return { ...first, resume: await tryResume(probe, first) }
}

async function tryPrompt(acp: AcpProcess, { request, command, signal, timeoutMs }: Probe, { sessionId }: SessionState) {
  const agent = createLongLivedAgent(request.backend, acp.process, (turn) => acp.createTurn(turn))
  const turn = agent.prompt({ request: { ...request, resumeId: sessionId, timeoutMs }, command, signal })
  for (;;) {
    const next = await turn.next()
    if (next.done !== true) continue
    const { error, text, usage, durationMs } = next.value
    if (error !== undefined) throw backendProbeFailed({ backend: request.backend, reason: error.message })
    return { text, hasUsage: usage.input_tokens + usage.output_tokens > 0, durationMs }
  }
}

/**
 * Continues the session in a new process. An agent that accepts an id which it never gave out proves nothing; one that
 * replays the session must replay the prompt.
 */
async function tryResume(probe: Probe, { info, session }: ProbeReport): Promise<ProbeReport['resume']> {
  const methods = [
    ...(info.canResume ? (['session/resume'] as const) : []),
    ...(info.canLoad ? (['session/load'] as const) : []),
  ]
  for (const method of methods) if (await isContinued(probe, { method, sessionId: session.sessionId })) return method
  return 'no'
}

async function isContinued(
  probe: Probe,
  { method, sessionId }: { method: 'session/load' | 'session/resume'; sessionId: string },
): Promise<boolean> {
  const { workdir: cwd, prompt } = probe.request
  let isReplayed = false
  const onLine = async (line: string) => {
    isReplayed ||= line.includes(JSON.stringify(prompt).slice(1, -1))
  }
  const open = (acp: AcpProcess, id: string) =>
    acp.request(method, { sessionId: id, cwd, mcpServers: [] }).then(() => true, refused)
  return await withProcess(
    probe,
    async (acp) => {
      await acp.initialize()
      const isOpened = (await open(acp, sessionId)) && (method === 'session/resume' || isReplayed)
      return isOpened && !(await open(acp, otherId(sessionId)))
    },
    onLine,
  )
}

function refused(error: unknown): false {
  if (isFault(error, agentRequestFailed)) return false
  throw error
}

/** An id of the same form that belongs to no session. */
function otherId(id: string): string {
  return id
    .replace(/[0-9a-f](?=[^0-9a-f]*$)/i, (digit) => (digit === '0' ? '1' : '0'))
    .concat(/[0-9a-f]/i.test(id) ? '' : '0')
}

async function withProcess<T>(
  { agent, request, command, signal, timeoutMs }: Probe,
  work: (acp: AcpProcess) => Promise<T>,
  onLine?: (line: string) => Promise<void>,
): Promise<T> {
  const { backend, profile, cancelSignal } = agent
  const launch = { request, scratchDirectory: request.scratchDirectory, owner: undefined, signal }
  const process = await startWarmProcess(launch, { ...command, cancelSignal })
  const acp = new AcpProcess(process, {
    backend,
    profile,
    env: command.env,
    isCold: true,
    onLine,
    answerWithinMs: timeoutMs,
  })
  try {
    return await work(acp)
  } catch (error) {
    throw await explain(error, { agent, acp })
  } finally {
    await acp.close()
  }
}

async function explain(error: unknown, { agent, acp }: { agent: AcpAgent; acp: AcpProcess }): Promise<unknown> {
  const { backend, profile } = agent
  if (!(error instanceof Fault)) return error
  if (error.code === agentRequestFailed.code) {
    const failure = failureOfError(await acp.withLogins(error.details as JsonRecord), { backend, profile })
    const { message, login } = failure
    const said = withLoginSteps(
      { code: failureCode(failure), message, ...(login !== undefined && { login }) },
      { agent },
    )
    return backendProbeFailed({ backend, reason: said.message })
  }
  if (error.code !== agentDisconnected.code) return error
  await acp.process.end()
  const { code, signal } = await acp.process.exit
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`
  const said = acp.process.stderrTail().trim().split('\n').at(-1)?.slice(0, 500)
  return backendProbeFailed({ backend, reason: `it ended before it answered (${how})${said ? `: ${said}` : ''}` })
}
