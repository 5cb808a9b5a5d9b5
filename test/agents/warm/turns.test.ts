/** Turns of scripted agents that stay up: each way in which the reuse of a process goes wrong elsewhere. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import type { AgentEvent, AgentRequest, AttributedReply } from '../../../src/agents/adapter/agent.ts'
import type { AgentResult } from '../../../src/agents/agent-result.ts'
import { buildCommand } from '../../../src/agents/build-command.ts'
import { startClaude } from '../../../src/agents/claude/warm-agent.ts'
import { startCodex } from '../../../src/agents/codex/warm-agent.ts'
import { runAgent } from '../../../src/agents/run-agent.ts'
import { newScratchDirectory } from '../../../src/agents/scratch-files.ts'
import type { LongLivedAgent, Turn } from '../../../src/agents/warm/long-lived-agent.ts'
import { agentRequest } from '../../support/agent-request.ts'
import { IS_FULL } from '../../support/full-counts.ts'
import { temporaryDirectory } from '../../support/run-drover.ts'
import { isRunning } from '../../support/test-command.ts'
import { until } from '../../support/until.ts'
import { type WarmBackend, warmProgram } from '../../support/warm-agents.ts'

const STARTERS = { claude: startClaude, codex: startCodex }
const started: LongLivedAgent[] = []

afterEach(async () => {
  await Promise.all(started.splice(0).map((agent) => agent.end()))
})

function requestFor(backend: WarmBackend, prompt: unknown, over: Partial<AgentRequest> = {}): AgentRequest {
  return agentRequest(backend, {
    prompt: typeof prompt === 'string' ? prompt : JSON.stringify(prompt),
    program: warmProgram(backend),
    workdir: tmpdir(),
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    wantsDeltas: true,
    ...over,
  })
}

async function start(backend: WarmBackend = 'claude', over: Partial<AgentRequest> = {}): Promise<LongLivedAgent> {
  const agent = await STARTERS[backend]({
    request: requestFor(backend, '', over),
    scratchDirectory: newScratchDirectory(),
    owner: undefined,
    signal: new AbortController().signal,
  })
  started.push(agent)
  return agent
}

type Options = { turn?: Partial<Turn>; request?: Partial<AgentRequest>; onEvent?: (event: AgentEvent) => void }

async function ask(agent: LongLivedAgent, prompt: unknown, { turn, request: over, onEvent }: Options = {}) {
  const request = requestFor(agent.backend as WarmBackend, prompt, over)
  const events: AgentEvent[] = []
  const run = agent.prompt({ request, command: buildCommand(request), signal: new AbortController().signal, ...turn })
  for (;;) {
    const next = await run.next()
    if (next.done === true) return { events, result: next.value as AgentResult }
    events.push(next.value)
    onEvent?.(next.value)
  }
}

/** Cancels the turn at the first event of a type. */
async function cancelAt(agent: LongLivedAgent, type: AgentEvent['type'], prompt: unknown) {
  const controller = new AbortController()
  const onEvent = (event: AgentEvent) => event.type === type && controller.abort()
  return ask(agent, prompt, { turn: { signal: controller.signal }, onEvent })
}

/** The processes that run the command. */
function running(command: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => isRunning(pid) && commandLine(pid).includes(command))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

describe('a resumed session of claude, whose own results include what it had cost', () => {
  it('costs what the turn cost, in a process that stays up and in one for the prompt', async () => {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', CLAUDE_CONFIG_DIR: temporaryDirectory() }
    const begun = await start('claude', { env })
    const { result: first } = await ask(begun, { say: 'one' })
    await begun.end()
    const resumed = { env, resumeId: first.sessionId ?? '' }
    const again = await start('claude', resumed)
    const turns = [first, (await ask(again, 'two')).result, (await ask(again, 'three')).result]
    await again.end()
    const request = requestFor('claude', 'four', { ...resumed, scratchDirectory: newScratchDirectory() })
    const cold = runAgent(request, buildCommand(request), { signal: new AbortController().signal })
    for (let next = await cold.next(); ; next = await cold.next()) {
      if (next.done !== true) continue
      turns.push(next.value)
      break
    }
    expect(turns.map(({ sessionId, costUsd }) => [sessionId, costUsd])).toEqual(
      turns.map(() => [first.sessionId, 0.25]),
    )
  })
})

describe.each<WarmBackend>(['claude', 'codex'])('%s', (backend) => {
  it('answers prompt after prompt in one process, each with its own usage', async () => {
    const agent = await start(backend)
    const first = await ask(agent, { say: 'one' })
    const second = await ask(agent, { say: 'two' })
    expect([first.result.text, second.result.text]).toEqual(['one', 'two'])
    for (const { events, result } of [first, second]) {
      expect(events[0]?.type).toBe('init')
      expect(events.at(-1)).toMatchObject({ type: 'done', content: { exit_code: 0, token_usage: result.usage } })
      expect(result).toMatchObject({ exitCode: 0, ended: 'itself', warnings: [] })
    }
    expect(second.result.usage).toEqual(first.result.usage)
    expect(second.result.costUsd).toEqual(first.result.costUsd)
    expect(agent.facts()).toMatchObject({ isAlive: true, isReusable: true, turns: 2 })
  })

  it('refuses a second prompt while a turn runs, and continues the first', async () => {
    const agent = await start(backend)
    let refused: unknown
    const controller = new AbortController()
    const { result } = await ask(
      agent,
      { hang: true, say: 'first' },
      {
        turn: { signal: controller.signal },
        onEvent: (event) => {
          if (event.type === 'message')
            void ask(agent, 'x')
              .catch((error) => {
                refused = error
              })
              .finally(() => controller.abort())
        },
      },
    )
    expect(refused).toMatchObject({ code: 'agent_disconnected' })
    expect(result).toMatchObject({ text: 'first', ended: 'cancelled' })
  })

  it('keeps a process whose turn was cancelled cleanly', async () => {
    const agent = await start(backend)
    const { events, result } = await cancelAt(agent, 'message', { hang: true })
    expect(result).toMatchObject({ exitCode: 130, ended: 'cancelled', error: { code: 'agent_cancelled' } })
    expect(events.at(-1)).toMatchObject({ type: 'done', content: { exit_code: 130 } })
    expect(agent.facts()).toMatchObject({ isAlive: true, isReusable: true })
    expect((await ask(agent, { say: 'next' })).result).toMatchObject({ text: 'next', exitCode: 0 })
  })

  it('runs nothing if the prompt was cancelled before', async () => {
    const agent = await start(backend)
    const { result } = await ask(agent, { say: 'never' }, { turn: { signal: AbortSignal.abort() } })
    expect(result).toMatchObject({ text: '', ended: 'cancelled' })
  })

  it('is stopped when it prints nothing for too long', async () => {
    const agent = await start(backend)
    const { result } = await ask(agent, { hang: true }, { request: { silenceMs: 300, timeoutMs: null } })
    expect(result).toMatchObject({ exitCode: 124, ended: 'timeout', error: { code: 'agent_silent' } })
    expect(agent.facts().isReusable).toBe(false)
  })

  it('ends at the deadline of the turn', async () => {
    const agent = await start(backend)
    const { result } = await ask(agent, { hang: true }, { request: { timeoutMs: 200 } })
    expect(result).toMatchObject({ exitCode: 124, ended: 'timeout', error: { code: 'agent_timeout' } })
    expect(agent.facts().isAlive).toBe(false)
  })

  it('ends the process if the caller stops reading', async () => {
    const agent = await start(backend)
    const request = requestFor(backend, { hang: true })
    const run = agent.prompt({ request, command: buildCommand(request), signal: new AbortController().signal })
    await run.next()
    await run.return(undefined as never)
    expect(agent.facts()).toMatchObject({ isAlive: false, isReusable: false })
  })

  it('asks the caller, and tells the agent the decision', async () => {
    const agent = await start(backend, { hasApprover: true })
    const asked: unknown[] = []
    const onApproval = async (request: unknown): Promise<AttributedReply> => {
      asked.push(request)
      return { decision: 'allow', by: { via: 'key', name: 'ci' } }
    }
    const { events } = await ask(agent, { ask: 'Bash' }, { turn: { onApproval }, request: { hasApprover: true } })
    const event = events.find(({ type }) => type === 'approval_request')
    expect(asked).toEqual([event?.content])
    expect(event?.content).toMatchObject({
      approval_id: expect.any(String),
      choices: expect.arrayContaining(['allow', 'deny']),
    })
    const decided = events.findIndex(({ type }) => type === 'approval_decision')
    expect(events[decided]?.content).toMatchObject({ decision: 'allow', by: { via: 'key', name: 'ci' } })
    // The scripted agent answers with what it was told.
    const told = backend === 'claude' ? /behavior.*allow/ : /accept/
    expect(JSON.stringify(events.slice(0, decided))).not.toMatch(told)
    expect(JSON.stringify(events.slice(decided))).toMatch(told)
  })

  it.each([
    ['no caller decides', undefined],
    ['the decision fails', () => Promise.reject(new Error('gone'))],
  ])('denies what it asks for if %s', async (_name, onApproval) => {
    const agent = await start(backend, { hasApprover: true })
    const { events } = await ask(agent, { ask: 'Bash' }, { turn: { onApproval }, request: { hasApprover: true } })
    expect(JSON.stringify(events)).toMatch(backend === 'claude' ? /behavior.*deny/ : /decline/)
    const decided = events.filter(({ type }) => type === 'approval_decision')
    const record = { content: { decision: 'deny', by: { via: 'drover' } } }
    expect(decided).toMatchObject(onApproval === undefined ? [] : [record])
  })
})

describe('a result', () => {
  const stale = { type: 'result', subtype: 'success', is_error: false, result: 'old', session_id: 's' }

  it('of an earlier turn does not end the next one, and the process is not used again', async () => {
    const agent = await start()
    const { result } = await ask(agent, { before: [stale], say: 'new' })
    expect(result).toMatchObject({ text: 'new', exitCode: 0 })
    expect(agent.facts()).toMatchObject({ isReusable: false })
    await until(() => !agent.facts().isAlive)
  })

  it('that came after the end of a turn does not end the next one', async () => {
    const agent = await start()
    await ask(agent, { say: 'one', after: [stale] })
    expect((await ask(agent, { say: 'two' })).result.text).toBe('two')
  })

  it('of another turn of codex does not end this one', async () => {
    const agent = await start('codex')
    expect((await ask(agent, { foreign: true, say: 'ours' })).result.text).toBe('ours')
    expect(agent.facts().isReusable).toBe(false)
  })
})

describe('a process', () => {
  it('that dies before its first event throws, so that the prompt can run elsewhere', async () => {
    const agent = await start()
    await expect(ask(agent, { crash: 'start' })).rejects.toMatchObject({ code: 'agent_disconnected' })
    expect(agent.facts()).toMatchObject({ isAlive: false, isReusable: false })
  })

  it('that dies after its first event fails as a cold one does', async () => {
    const agent = await start()
    const { result } = await ask(agent, { crash: 'word' })
    expect(result).toMatchObject({
      exitCode: 137,
      ended: 'itself',
      error: {
        code: 'agent_ended_early',
        message: 'claude ended before it had finished its answer (ended by SIGKILL)',
      },
    })
  })

  it('that floods after the turn is ended, and delays nothing', async () => {
    const agent = await start()
    expect((await ask(agent, { say: 'done', flood: 10_000 })).result.text).toBe('done')
    await until(() => !agent.facts().isAlive)
  })

  it('that prints something else between turns stays', async () => {
    const agent = await start()
    await ask(agent, { say: 'one', idle: [{ type: 'system', subtype: 'status' }] })
    expect((await ask(agent, { say: 'two' })).result.text).toBe('two')
    expect(agent.facts().isReusable).toBe(true)
  })

  it('that prints text which is not a frame is not used again', async () => {
    const agent = await start()
    expect((await ask(agent, { noise: true, say: 'fine' })).result).toMatchObject({ text: 'fine', warnings: [] })
    expect(agent.facts().isReusable).toBe(false)
  })

  it.skipIf(process.platform !== 'linux')('whose turn leaves a process running is ended with it', async () => {
    const mark = `600.${process.pid}1`
    const agent = await start()
    expect((await ask(agent, { spawn: `sleep ${mark}`, say: 'done' })).result).toMatchObject({
      text: 'done',
      exitCode: 0,
    })
    expect(running(mark)).toEqual([])
    expect(agent.facts().isAlive).toBe(false)
  })

  it.skipIf(process.platform !== 'linux')('keeps running if it ends its tool itself after a cancellation', async () => {
    const mark = `600.${process.pid}2`
    const agent = await start()
    expect((await cancelAt(agent, 'message', { tool: `sleep ${mark}` })).result.ended).toBe('cancelled')
    expect(running(mark)).toEqual([])
    expect(agent.facts()).toMatchObject({ isAlive: true, isReusable: true })
  })

  it.skipIf(process.platform !== 'linux')(
    'that leaves a tool running after a cancellation is ended, tool and all',
    async () => {
      const mark = `600.${process.pid}3`
      const agent = await start('codex')
      expect((await cancelAt(agent, 'message', { tool: `sleep ${mark}` })).result.ended).toBe('cancelled')
      expect(running(mark)).toEqual([])
      expect(agent.facts().isAlive).toBe(false)
    },
  )

  it.runIf(IS_FULL)('that ignores a cancellation is ended after two seconds', async () => {
    const agent = await start()
    const { result } = await cancelAt(agent, 'message', { hang: true, deaf: true })
    expect(result).toMatchObject({ ended: 'cancelled', exitCode: 130 })
    expect(result.durationMs).toBeGreaterThanOrEqual(2000)
    expect(agent.facts().isAlive).toBe(false)
  })

  it.runIf(IS_FULL)('keeps no timer of a turn: the next turn outlives the deadline of the last', async () => {
    const agent = await start()
    await ask(agent, { say: 'quick' }, { request: { timeoutMs: 300 } })
    const { result } = await ask(agent, { hang: true }, { request: { timeoutMs: 900 } })
    expect(result.durationMs).toBeGreaterThanOrEqual(900)
    expect(result.error?.message).toContain('within 0.9 s')
  })

  it('is read on after a turn whose reader was slow', async () => {
    const agent = await start()
    const lines = Array.from({ length: 2000 }, (_, at) => ({
      type: 'assistant',
      message: { content: [{ type: 'text', text: `${at}` }] },
    }))
    const before = [{ type: 'system', subtype: 'init' }, ...lines]
    expect((await ask(agent, { before, say: 'end' })).result.text).toBe('end')
    expect((await ask(agent, { say: 'next' })).result.text).toBe('next')
  })

  it('is refused if codex does not take over the policy of the request', async () => {
    const agent = await start('codex')
    const { result } = await ask(agent, { say: 'one' })
    const wider = { resumeId: result.sessionId, sandboxMode: 'full' } as const
    await expect(ask(agent, { say: 'two' }, { request: wider })).rejects.toMatchObject({
      code: 'agent_request_failed',
      message: expect.stringContaining('sandbox is "readOnly" instead of "dangerFullAccess"'),
    })
  })

  it('that prints a frame of more than 10 MiB is not used again, and the caller learns of it', async () => {
    const agent = await start()
    const { result } = await ask(agent, { big: 10 * 1024 * 1024, say: 'fine' })
    expect(result).toMatchObject({
      text: 'fine',
      exitCode: 0,
      warnings: [expect.stringMatching(/^a line of \d+ bytes was skipped/)],
    })
    expect(agent.facts().isReusable).toBe(false)
  })

  it.skipIf(process.platform === 'win32')(
    'that was stopped by a signal is ended when its turn is canceled',
    async () => {
      const agent = await start()
      const controller = new AbortController()
      const onEvent = ({ type }: AgentEvent) => {
        if (type !== 'message') return
        process.kill(agent.facts().pid, 'SIGSTOP')
        controller.abort()
      }
      const { result } = await ask(agent, { hang: true }, { turn: { signal: controller.signal }, onEvent })
      expect(result).toMatchObject({ ended: 'cancelled', exitCode: 130 })
      expect(isRunning(agent.facts().pid)).toBe(false)
    },
  )

  it('that was killed takes no other prompt, and says so', async () => {
    const agent = await start()
    process.kill(agent.facts().pid, 'SIGKILL')
    await expect(ask(agent, { say: 'x' })).rejects.toMatchObject({ code: 'agent_disconnected' })
  })

  it.each<WarmBackend>(['claude', 'codex'])(
    'of %s that closes its input takes no other prompt, and ends',
    async (backend) => {
      const agent = await start(backend)
      expect((await ask(agent, { closes: true, say: 'one' })).result).toMatchObject({ text: 'one', exitCode: 0 })
      await expect(ask(agent, { say: 'two' })).rejects.toMatchObject({ code: 'agent_disconnected' })
      await until(() => !isRunning(agent.facts().pid))
    },
  )

  it('reports its memory', async () => {
    const agent = await start()
    const before = await agent.residentBytes()
    await ask(agent, { grow: 50 })
    expect((await agent.residentBytes()) - before).toBeGreaterThan(40 * 1024 * 1024)
  })
})
