/** Turns of an agent that speaks ACP in one process: what a turn leaves behind must not reach the next one. */
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startAcpAgent } from '../../../src/agents/acp/run-acp-agent.ts'
import type { AcpProfile } from '../../../src/agents/adapter/acp-profile.ts'
import type { AgentRequest } from '../../../src/agents/adapter/agent.ts'
import { buildCommand } from '../../../src/agents/build-command.ts'
import type { LongLivedAgent, Turn } from '../../../src/agents/warm/long-lived-agent.ts'
import type { AcpScript, AcpStep } from '../../fake-agent/acp-script.ts'
import { acpRequest, installAcpAgent, receivedFrames } from '../../support/acp-agent.ts'
import { IS_FULL } from '../../support/full-counts.ts'
import { temporaryDirectory } from '../../support/run-drover.ts'
import { isRunning } from '../../support/test-command.ts'
import { until } from '../../support/until.ts'

let directory: string
let workdir: string

beforeEach(() => {
  directory = realpathSync(temporaryDirectory())
  workdir = join(directory, 'work')
  mkdirSync(workdir)
})

const profile: Partial<AcpProfile> = {
  client: { files: true, terminal: true },
  modes: { 'read-only': 'plan' },
}

async function start(script: AcpScript) {
  const program = installAcpAgent(directory, script)
  const requestOf = (over: Partial<AgentRequest> = {}) =>
    acpRequest(program, { request: { workdir, ...over }, profile, isPunctual: true })
  const agent = await startAcpAgent({
    request: requestOf(),
    scratchDirectory: join(directory, 'scratch'),
    owner: undefined,
    signal: new AbortController().signal,
  })
  onTestFinished(() => agent.end())
  return { agent, ask: (over?: Partial<AgentRequest>, turn?: Partial<Turn>) => finish(agent, requestOf(over), turn) }
}

async function finish(agent: LongLivedAgent, request: AgentRequest, turn: Partial<Turn> = {}) {
  const signal = new AbortController().signal
  const run = agent.prompt({ request, command: buildCommand(request), signal, ...turn })
  for (;;) {
    const next = await run.next()
    if (next.done === true) return next.value
  }
}

const pidIn = (file: string) => Number(readFileSync(file, 'utf8'))

/** Starts a command that does not end at once when it is told to, waits until it runs, and leaves it running. */
const leaveRunning = (pidFile: string): AcpStep[] => [
  {
    request: {
      method: 'terminal/create',
      params: { command: `trap 'sleep 0.2; exit' TERM; echo $$ > ${pidFile}; while :; do sleep 0.05; done` },
    },
  },
  { terminal: { command: `until [ -s ${pidFile} ]; do sleep 0.01; done` } },
]

describe('a process that stays up', () => {
  it('has no command left when a turn has ended, and takes the next prompt', async () => {
    const pidFile = join(directory, 'pid')
    const { agent, ask } = await start({ turns: [[...leaveRunning(pidFile), { say: 'one' }], [{ say: 'two' }]] })
    expect(await ask()).toMatchObject({ exitCode: 0, text: 'one' })
    expect(isRunning(pidIn(pidFile))).toBe(false)
    expect(await ask()).toMatchObject({ exitCode: 0, text: 'two' })
    expect(agent.facts()).toMatchObject({ isAlive: true, isReusable: true, turns: 2 })
  })

  it('costs in each turn what the session costs more than before', async () => {
    const costing = (amount: number): AcpStep[] => [
      { update: { sessionUpdate: 'usage_update', used: 9, size: 99, cost: { amount, currency: 'USD' } } },
      { say: 'done' },
    ]
    const { ask } = await start({ sessionId: 's1', turns: [costing(0.1), costing(0.3), [{ say: 'done' }]] })
    expect((await ask()).costUsd).toBe(0.1)
    expect((await ask({ resumeId: 's1' })).costUsd).toBe(0.2)
    // The agent says nothing, which is not that it costs nothing.
    expect((await ask({ resumeId: 's1' })).costUsd).toBeUndefined()
  })

  it('has no command left when a turn was cancelled', async () => {
    const pidFile = join(directory, 'pid')
    const { agent, ask } = await start({ turns: [[...leaveRunning(pidFile), { hang: true }], [{ say: 'two' }]] })
    const controller = new AbortController()
    const cancelled = ask({}, { signal: controller.signal })
    await until(() => existsSync(pidFile) && pidIn(pidFile) > 0)
    controller.abort()
    expect(await cancelled).toMatchObject({ exitCode: 130, ended: 'cancelled' })
    expect(isRunning(pidIn(pidFile))).toBe(false)
    expect(await ask()).toMatchObject({ exitCode: 0, text: 'two' })
    expect(agent.facts()).toMatchObject({ isAlive: true, turns: 2 })
  })

  it('writes nothing between two turns', async () => {
    const file = join(workdir, 'late')
    const answer = { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } }
    const write: AcpStep = { request: { method: 'fs/write_text_file', params: { path: file, content: 'new' } } }
    const { ask } = await start({ steps: [{ say: 'one' }, { raw: JSON.stringify(answer) }, write, { hang: true }] })
    expect(await ask()).toMatchObject({ exitCode: 0, text: 'one' })
    const refused = await until(() => receivedFrames(directory).find(({ id }) => id === 'agent-1'))
    expect(refused).toMatchObject({ error: { message: 'there is no such method' } })
    expect(existsSync(file)).toBe(false)
  })

  it.runIf(IS_FULL)('goes back to the mode of the agent after a turn with another one', async () => {
    const modes = { currentModeId: 'build', availableModes: [{ id: 'plan' }, { id: 'build' }] }
    const { ask } = await start({ session: { modes }, sessionId: 's1' })
    await ask({ sandboxMode: 'read-only' })
    await ask({ resumeId: 's1' })
    await ask({ resumeId: 's1' })
    const set = receivedFrames(directory).filter(({ method }) => method === 'session/set_mode')
    expect(set.map(({ params }) => params?.['modeId'])).toEqual(['plan', 'build'])
  })
})
