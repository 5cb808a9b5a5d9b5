/** Turns whose client does not come back, or comes back to another server than before. */
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAKE_AGENT, installFakeAgents, readPids } from '../support/fake-agent.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { ask, call, clientOf, keyOf, newest, open, statesOf, user } from '../support/tool-client.ts'
import { until } from '../support/until.ts'

const SCRIPT = { calls: [[call('add', 1)]], text: ['{{results}}'] }
type Listed = { executions: { state: string }[] }
const never = new AbortController().signal

describe('a turn that waits for its client', () => {
  it('leaves its place to others, and waits for one when the results come', async () => {
    const { client, server } = await open(SCRIPT, { server: { max_concurrent_runs: 1, max_queued_runs: 0 } })
    const { slots } = server.context.drover
    const first = await ask(client, [user])
    expect((await ask(client, [user], { model: 'codex', tools: [] })).reason).toBe('stop')
    const other = await slots.take(never)
    const answer = ask(client, first.next(['three']))
    await until(() => slots.load().queued === 1)
    other?.release()
    expect((await answer).content).toBe('three')
    await until(() => slots.load().running === 0)
  })

  it('gives both the same answer if two requests bring the results at once', async () => {
    const { client, server } = await open(SCRIPT)
    const first = await ask(client, [user])
    const answers = await Promise.all([1, 2].map(() => ask(client, first.next(['three']))))
    expect(answers.map(({ content }) => content)).toEqual(['three', 'three'])
    expect(await statesOf(server)).toEqual(['completed'])
  })

  it('ends if more wait than server.max_waiting_turns: the oldest one of the key that has most of them', async () => {
    const { server } = await open(SCRIPT, { server: { max_waiting_turns: 2, keys: ['ada', 'bob'].map(keyOf) } })
    const [ada, bob] = [clientOf(server.url, 'ada'), clientOf(server.url, 'bob')]
    const ofBob = await ask(bob, [user])
    const firstOfAda = await ask(ada, [user])
    expect(await statesOf(server)).toEqual(['running', 'running'])
    const secondOfAda = await ask(ada, [user])
    await until(async () => (await statesOf(server)).join() === 'running,failed,running')
    expect(server.context.drover.waitingTurns).toBe(2)
    expect((await ask(bob, ofBob.next(['one']))).content).toBe('one')
    expect((await ask(ada, secondOfAda.next(['two']))).content).toBe('two')
    expect((await ask(ada, firstOfAda.next(['late']))).reason).toBe('tool_calls')
    expect((await newest(server)).prompt).toContain('[result of the tool add]\nlate')
  })

  it('gets no results from another key, also not from an operator', async () => {
    const boss = { ...keyOf('boss'), role: 'operator', max_sandbox_mode: 'read-only' }
    const { server } = await open(SCRIPT, { server: { keys: [keyOf('ada'), boss] } })
    const [ada, other] = [clientOf(server.url, 'ada'), clientOf(server.url, 'boss')]
    const first = await ask(ada, [user])
    expect((await ask(other, first.next(['stolen']))).reason).toBe('tool_calls')
    expect((await newest(server)).api_key).toBe('boss')
    expect((await ask(ada, first.next(['three']))).content).toBe('three')
  })

  it('is repeated by the next server if its server is killed, and its agent is ended', async () => {
    const home = temporaryDirectory()
    const pidFile = join(home, 'pids')
    const env = {
      ...{ HOME: home, PATH: `${installFakeAgents(temporaryDirectory())}:${process.env['PATH']}` },
      FAKE_AGENT_SCRIPT: JSON.stringify({ ...SCRIPT, pidFile }),
    }
    const killed = serveDrover(['--port', '0'], env)
    const first = await ask(clientOf(`http://127.0.0.1:${await portOf(killed)}`), [user])
    const { agent = 0 } = readPids(pidFile)
    expect(isRunning(agent)).toBe(true)
    killed.child.kill('SIGKILL')
    await killed.ended
    const url = `http://127.0.0.1:${await portOf(serveDrover(['--port', '0'], env))}`
    await until(() => !isRunning(agent))
    const again = await ask(clientOf(url), first.next(['three']))
    expect(again.made[0]?.id).not.toBe(first.made[0]?.id)
    expect((await ask(clientOf(url), again.next(['four']))).content).toBe('four')
    const { executions } = (await (await fetch(`${url}/api/v1/executions`)).json()) as Listed
    expect(executions.map(({ state }) => state)).toEqual(['completed', 'lost'])
  })

  it('continues inside of a sandbox, under the ceilings of a key', async (test) => {
    skipWithoutSandbox(test)
    const limits = { requires_sandbox: true, max_approval_mode: 'auto', max_sandbox_mode: 'read-only' }
    const envIn = (workdir: string) => ({ PATH: `${join(dirname(workdir), 'bin')}:${process.env['PATH']}` })
    const { server } = await open(SCRIPT, {
      server: { keys: [{ ...keyOf('ada'), ...limits }] },
      config: { sandbox: { read: [dirname(dirname(FAKE_AGENT))], env: ['FAKE_AGENT_SCRIPT'] } },
      envIn,
    })
    const client = clientOf(server.url, 'ada')
    const first = await ask(client, [user])
    expect(first.made.map((each) => each.function.name)).toEqual(['add'])
    expect((await ask(client, first.next(['three']))).content).toBe('three')
    expect((await newest(server)).result).toMatchObject({ boundary: { enforced_by: 'bubblewrap' } })
  })
})
