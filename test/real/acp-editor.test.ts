/** An editor that talks to real agents through `drover acp`: the client of the protocol's SDK. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEditor } from '../support/acp-editor.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const WARNED = { warnings: [expect.stringContaining('without a user to ask')] }

describe.each(installed)('an editor with the real $backend', ({ backend, path }) => {
  let setup: AgentSetup

  beforeEach(() => {
    setup = createAgentSetup(backend, path, upstream.port())
    mkdirSync(join(setup.home, '.drover'))
    const config = { default_backend: backend, backends: { [backend]: { command: path, model: MODELS[backend] } } }
    writeFileSync(join(setup.home, '.drover', 'config.yaml'), JSON.stringify(config))
  })

  afterEach(() => setup.remove())

  const open = () => openEditor({ work: setup.work, env: setup.env('plain') })

  it('gets an answer, and loads the session in a new process, where the agent knows it', async () => {
    const first = await open()
    const { sessionId } = await first.create()
    expect(await first.prompt(sessionId, 'the word is heron')).toMatchObject({ stopReason: 'end_turn' })
    expect(first.texts()).toBe('Hello from the fake model.')
    first.child.stdin.end()
    expect(await first.ended).toBe(0)
    const second = await open()
    await second.agent.request(methods.agent.session.load, { sessionId, cwd: setup.work, mcpServers: [] })
    expect([second.texts('user_message_chunk'), second.texts()]).toEqual([
      'the word is heron',
      'Hello from the fake model.',
    ])
    const next = await second.prompt(sessionId, 'and now')
    expect(next).toMatchObject({ stopReason: 'end_turn' })
    // Gemini cannot load a session over the protocol, so no one can be asked, and drover says so.
    const warned = expect.objectContaining(WARNED)
    expect(next._meta?.['drover']).toEqual(backend === 'gemini' ? warned : expect.not.objectContaining(WARNED))
    const requests = upstream.received().split('\n')
    expect(requests.findLast((line) => line.includes('and now'))).toContain('the word is heron')
  })

  it('is asked for permission, and its answer counts', async () => {
    const { create, prompt, asked, answers, updates } = await open()
    const { sessionId } = await create()
    const scenario = backend === 'codex' ? 'escalate' : 'write'
    const outcomes = () =>
      updates.flatMap(({ sessionUpdate, status }) =>
        sessionUpdate === 'tool_call_update' && (status === 'completed' || status === 'failed') ? [status] : [],
      )
    answers.push({ outcome: 'selected', optionId: 'deny' }, { outcome: 'selected', optionId: 'allow' })
    await prompt(sessionId, `x #scenario=${scenario}`)
    expect(asked).toHaveLength(1)
    expect(JSON.stringify(asked[0]?.toolCall)).toContain('echo')
    expect(outcomes()).not.toContain('completed')
    const other = await create()
    await prompt(other.sessionId, `x #scenario=${scenario}`)
    expect(asked).toHaveLength(2)
    expect(outcomes()).toContain('completed')
  })

  it('cancels a turn and sends another one, and nothing runs when it has ended', async () => {
    const { create, prompt, agent, texts, child, ended } = await open()
    const { sessionId } = await create()
    const canceled = prompt(sessionId, 'x #scenario=slow')
    await until(() => texts().includes('word1 '))
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await canceled).toMatchObject({ stopReason: 'cancelled' })
    const next = await prompt(sessionId, 'x #scenario=plain')
    // Without warnings: the process has survived, so the agent could still ask.
    expect(next).toMatchObject({ stopReason: 'end_turn', _meta: { drover: expect.not.objectContaining(WARNED) } })
    expect(texts()).toContain('Hello from the fake model.')
    child.stdin.end()
    expect(await ended).toBe(0)
    await until(() => processesIn(setup).length === 0)
  })
})
