/** The same prompts, once in a process of their own and once in a process that stays up: the results must be equal. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent, AgentRequest, AttributedReply, Usage } from '../../src/agents/adapter/agent.ts'
import type { AgentResult } from '../../src/agents/agent-result.ts'
import { buildCommand } from '../../src/agents/build-command.ts'
import { findWarmBackend } from '../../src/agents/pool/warm-backends.ts'
import { runAgent } from '../../src/agents/run-agent.ts'
import { newScratchDirectory } from '../../src/agents/scratch-files.ts'
import type { LongLivedAgent } from '../../src/agents/warm/long-lived-agent.ts'
import { agentRequest } from '../support/agent-request.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, sessionFilesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

const SCHEMA = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['pass', 'fail'] }, count: { type: 'integer' } },
  required: ['verdict', 'count'],
  additionalProperties: false,
}

type Over = Partial<AgentRequest>
type Outcome = { events: AgentEvent[]; result: AgentResult }

// The tests of gemini, which speaks another protocol when it stays up, are in warm-gemini.test.ts.
describe.each(installed.filter(({ backend }) => backend !== 'gemini'))('a warm $backend', ({ backend, path }) => {
  let setup: AgentSetup
  let agent: LongLivedAgent | undefined

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
  })

  afterEach(async () => {
    await agent?.end()
    agent = undefined
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  const requestFor = (over: Over): AgentRequest =>
    agentRequest(backend, {
      model: MODELS[backend],
      workdir: setup.work,
      wantsDeltas: true,
      program: [path],
      env: setup.env('plain'),
      isRoot: process.getuid?.() === 0,
      timeoutMs: 60_000,
      scratchDirectory: newScratchDirectory(),
      ...over,
    })

  /** The process for a request; the same one as before if it can be. */
  async function warmUp(over: Over): Promise<LongLivedAgent> {
    await agent?.end()
    const scratchDirectory = newScratchDirectory()
    const request = requestFor({ ...over, scratchDirectory })
    const launch = { request, scratchDirectory, owner: undefined, signal: new AbortController().signal }
    agent = await findWarmBackend(launch.request)?.start(launch)
    return agent as LongLivedAgent
  }

  type Turn = {
    signal?: AbortSignal
    priorUsage?: Usage
    onApproval?: () => Promise<AttributedReply>
    onEvent?: (event: AgentEvent) => void
  }

  async function askWarm(
    warm: LongLivedAgent,
    over: Over,
    { signal = new AbortController().signal, onEvent, ...turn }: Turn = {},
  ): Promise<Outcome> {
    const request = requestFor(over)
    return finish(warm.prompt({ request, command: buildCommand(request), signal, ...turn }), onEvent)
  }

  async function askCold(over: Over, priorUsage?: Usage): Promise<Outcome> {
    const request = requestFor(over)
    return finish(runAgent(request, buildCommand(request), { signal: new AbortController().signal, priorUsage }))
  }

  it.each<[string, Over]>([
    ['plain', {}],
    ['thinking', {}],
    ['tool', { approvalMode: 'none' }],
    ['twotools', { approvalMode: 'none' }],
    ['toolfail', { approvalMode: 'none' }],
    ['write', {}],
    ['write', { sandboxMode: 'read-only' }],
    ['write', { approvalMode: 'auto' }],
    ['write', { sandboxMode: 'full' }],
    ['e400', {}],
    ['e401', {}],
    ['e403', {}],
    ['e429', {}],
    ['e500', {}],
    ['e503', {}],
    ['e529', {}],
    ['cut', {}],
    ['json', { outputSchema: SCHEMA }],
    ['jsonbad', { outputSchema: SCHEMA }],
    ['loop', { maxTurns: 2, approvalMode: 'none', timeoutMs: 6000 }],
    ['plain', { systemPrompt: 'Be brief.' }],
    ['plain', { isEphemeral: true }],
    ['plain', { prompt: '/help @README.md' }],
  ])('gives the same result as a cold one: %s %j', async (scenario, over) => {
    const prompt = `${over.prompt ?? 'say hello'} #scenario=${scenario}`
    // Codex never ends the endless scenario.
    if (scenario === 'loop' && backend === 'codex') return
    const cold = await askCold({ ...over, prompt })
    rmSync(join(setup.work, 'written-by-tool.txt'), { force: true })
    const files = sessionFilesIn(setup).length
    const warm = await askWarm(await warmUp(over), { ...over, prompt })
    // Only a warm codex prints a text in pieces, so that the events have its beginning when the rest is lost.
    const said = backend === 'codex' && scenario === 'cut' ? { said: 'partial then ' } : {}
    expect(summary(warm)).toEqual({ ...summary(cold), ...said })
    if (over.isEphemeral) {
      await agent?.end()
      expect(sessionFilesIn(setup)).toHaveLength(files)
    }
  })

  it('continues a session, and counts each turn alone, as a cold one does', async () => {
    const warm = await warmUp({})
    const first = await askWarm(warm, {})
    const turn = first.result.threadUsage === undefined ? {} : { priorUsage: first.result.threadUsage }
    const second = await askWarm(warm, { resumeId: first.result.sessionId }, turn)
    expect(second.result).toMatchObject({ sessionId: first.result.sessionId, usage: first.result.usage, exitCode: 0 })
    expect(second.result.costUsd).toBe(first.result.costUsd)
    await warm.end()
    const third = await askCold({ resumeId: first.result.sessionId }, second.result.threadUsage)
    expect(third.result).toMatchObject({ sessionId: first.result.sessionId, usage: first.result.usage, exitCode: 0 })
    expect(third.result.costUsd).toBe(first.result.costUsd)
  })

  it('sends what it was told before when a session is continued', async () => {
    const warm = await warmUp({})
    const { result } = await askWarm(warm, { prompt: 'the word is heron' })
    await askWarm(warm, { prompt: 'and now', resumeId: result.sessionId })
    const last =
      upstream
        .received()
        .split('\n')
        .findLast((line) => line.includes('and now')) ?? ''
    expect(last).toContain('the word is heron')
  })

  it.each<[AttributedReply['decision'], boolean]>([
    ['allow', true],
    ['deny', false],
  ])('asks before it does something: %s', async (decision, isDone) => {
    const over: Over = { approvalMode: 'always', hasApprover: true }
    const asked: unknown[] = []
    const onApproval = async (): Promise<AttributedReply> => ({ decision, by: { via: 'none' } })
    const onEvent = (event: AgentEvent) => event.type === 'approval_request' && asked.push(event.content)
    const scenario = backend === 'codex' ? 'escalate' : 'write'
    const { events, result } = await askWarm(
      await warmUp(over),
      { ...over, prompt: `x #scenario=${scenario}` },
      { onApproval, onEvent },
    )
    expect(result.exitCode).toBe(0)
    expect(asked).toEqual([expect.objectContaining({ command: expect.stringContaining('echo') })])
    if (backend === 'claude') expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(isDone)
    else expect(events.some((event) => event.type === 'tool_result' && !event.content.is_error)).toBe(isDone)
  })
})

async function finish(run: ReturnType<typeof runAgent>, onEvent?: (event: AgentEvent) => void): Promise<Outcome> {
  const events: AgentEvent[] = []
  let next = await run.next()
  for (; next.done !== true; next = await run.next()) {
    events.push(next.value)
    onEvent?.(next.value)
  }
  return { events, result: next.value }
}

/** All that a caller can tell apart, without ids, times and the size of pieces. */
function summary({ events, result }: Outcome) {
  const { sessionId, durationMs: _, threadUsage: __, error, denials = [], ...facts } = result
  const texts = (type: 'message' | 'thinking') =>
    events.flatMap((event) => (event.type === type ? [event.content.text] : [])).join('')
  const tools = events.flatMap((event) =>
    event.type === 'tool_use' || event.type === 'tool_result' ? [withoutId(event)] : [],
  )
  return {
    ...facts,
    hasSession: sessionId !== undefined,
    denials: denials.length,
    error: error && { ...error, message: error.message.replace(/req_fake\d+/g, 'req') },
    said: texts('message'),
    thought: texts('thinking'),
    tools,
    first: events[0]?.type,
    last: events.at(-1)?.type,
  }
}

/** The order of lines on stdout and stderr is by chance. */
function sorted(output: string | undefined) {
  return output?.split('\n').sort()
}

function withoutId({
  type,
  content: { tool_id: _, ...content },
}: Extract<AgentEvent, { type: 'tool_use' | 'tool_result' }>) {
  return { type, ...content, ...('output' in content && { output: sorted(content.output) }) }
}
