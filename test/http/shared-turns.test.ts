/** Turns that wait on one machine, and whose client brings the results to another one. */
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { installFakeAgents } from '../support/fake-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startDrover } from '../support/serve-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { ask, call, clientOf, keyOf, newest, open, statesOf, tool, tools, user } from '../support/tool-client.ts'
import { until } from '../support/until.ts'

const SCRIPT = { calls: [[call('add', 1)]], text: ['{{results}}'] }
const TWICE = { calls: [[call('add', 1), call('sub', 2)], [call('add', 3)]], text: ['{{results}}'] }

/** A worker, and two servers that only take requests. */
async function openShared(script: object, options: ServerOptions = {}) {
  const url = await createPostgresDatabase()
  const worker = await open(script, { ...options, postgres: { url, machine: 'worker' } })
  const doors = []
  for (const machine of ['one', 'two'])
    doors.push(await startServer({ ...options, agents: 'none', isWorker: false, postgres: { url, machine } }))
  const [one, two] = doors.map((door) => clientOf(door.url)) as [OpenAI, OpenAI]
  return { url, worker, doors, one, two }
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)('a turn that waits for its client on another machine', () => {
  it('continues with the results, whatever server gets them', async () => {
    const { worker, one, two } = await openShared(TWICE)
    const first = await ask(one, [user])
    expect(first.made.map((each) => each.function.name)).toEqual(['add', 'sub'])
    expect(worker.server.context.drover.waitingTurns).toBe(1)
    const second = await ask(two, first.next(['a', 'b']))
    expect(second.made.map((each) => each.function.arguments)).toEqual(['{"x":3}'])
    expect((await ask(worker.client, second.next(['c']))).content).toBe('c')
    expect(await statesOf(worker.server)).toEqual(['completed'])
  })

  it.runIf(IS_FULL)(
    'streams the rest of its answer, and gives the same one to both requests that bring the results at once',
    async () => {
      const { worker, one, two } = await openShared(SCRIPT)
      const first = await ask(one, [user])
      const stream = two.chat.completions.stream({ model: 'claude', tools, messages: first.next(['three']) })
      const [streamed, other] = await Promise.all([stream.finalContent(), ask(one, first.next(['three']))])
      expect([streamed, other.content]).toEqual(['three', 'three'])
      expect(await statesOf(worker.server)).toEqual(['completed'])
    },
  )

  it.runIf(IS_FULL)('refuses a part of the results, and takes them all then', async () => {
    const { one, two } = await openShared({ ...TWICE, calls: TWICE.calls.slice(0, 1) })
    const first = await ask(one, [user])
    const missing = first.next(['a', 'b']).filter((_, at) => at !== 2)
    await expect(ask(two, missing)).rejects.toMatchObject({ status: 400, code: 'tool_result_missing' })
    expect((await ask(two, first.next(['a', 'b']))).content).toBe('a|b')
  })

  it('is repeated if the client has said something else before, or offers something else', async () => {
    const { worker, one, two } = await openShared(SCRIPT)
    const first = await ask(one, [user])
    const [, ...rest] = first.next(['three'])
    const changed = await ask(two, [{ ...user, content: 'what is 1 + 3?' }, ...rest])
    expect(changed.reason).toBe('tool_calls')
    expect((await ask(two, first.next(['three']), { tools: [tool('mul')] })).content).not.toBe('three')
    expect((await newest(worker.server)).prompt).toContain('[result of the tool add]\nthree')
    expect((await ask(two, first.next(['three']))).content).toBe('three')
  })

  it('is not found by another key', async () => {
    const { worker, doors } = await openShared(SCRIPT, { server: { keys: ['ada', 'bob'].map(keyOf) } })
    const [ada, bob] = ['ada', 'bob'].map((key, at) => clientOf(doors[at]?.url ?? '', key)) as [OpenAI, OpenAI]
    const first = await ask(ada, [user])
    expect((await ask(bob, first.next(['three']))).reason).toBe('tool_calls')
    expect(worker.server.context.drover.waitingTurns).toBe(2)
    expect((await ask(ada, first.next(['three']))).content).toBe('three')
  })

  it.runIf(IS_FULL)('continues with a response that names the one before', async () => {
    const { worker, one, two } = await openShared(SCRIPT)
    const functions = [{ type: 'function' as const, strict: null, ...tool('add').function }]
    const first = await one.responses.create({ model: 'claude', input: 'what is 1 + 2?', tools: functions })
    const [made] = first.output.filter((item) => item.type === 'function_call')
    const input = [{ type: 'function_call_output' as const, call_id: made?.call_id ?? '', output: 'three' }]
    const answer = { model: 'claude', input, tools: functions, previous_response_id: first.id }
    expect((await two.responses.create(answer)).output_text).toBe('three')
    expect(await statesOf(worker.server)).toEqual(['completed'])
  })

  it.runIf(IS_FULL)('keeps no slot of the worker', async () => {
    const { worker, one, two } = await openShared(SCRIPT, { server: { max_concurrent_runs: 1 } })
    const waiting = [await ask(one, [user]), await ask(two, [user])]
    expect(worker.server.context.drover.waitingTurns).toBe(2)
    expect((await ask(one, [user], { model: 'codex', tools: [] })).reason).toBe('stop')
    for (const each of waiting) expect((await ask(two, each.next(['three']))).content).toBe('three')
  })

  it.runIf(IS_FULL)('is repeated elsewhere if its machine is killed', async () => {
    const url = await createPostgresDatabase()
    const postgres = { url, deadAfterMs: 2000 }
    const env = {
      ...{ PATH: `${installFakeAgents(temporaryDirectory())}:${process.env['PATH']}`, DROVER_STORE_URL: url },
      ...{ DROVER_STORE_MACHINE: 'killed', FAKE_AGENT_SCRIPT: JSON.stringify(SCRIPT) },
    }
    const killed = startDrover(['work'], env)
    await until(() => `${killed.heard.stdout}${killed.heard.stderr}`.includes('Press Ctrl-C'))
    const door = await startServer({ agents: 'none', isWorker: false, postgres: { ...postgres, machine: 'door' } })
    const first = await ask(clientOf(door.url), [user])
    const { client, server } = await open(SCRIPT, { postgres: { ...postgres, machine: 'other' } })
    killed.child.kill('SIGKILL')
    const again = await ask(client, first.next(['three']))
    expect(again.reason).toBe('tool_calls')
    expect((await newest(server)).prompt).toContain('[result of the tool add]\nthree')
    expect((await ask(clientOf(door.url), again.next(['four']))).content).toBe('four')
    expect(await statesOf(server)).toEqual(['completed', 'lost'])
  })
})
