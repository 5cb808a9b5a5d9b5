/** Prompts over HTTP to a server that keeps agents that speak ACP running. */
import { describe, expect, it } from 'vitest'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import { installAcpAgent, receivedFrames } from '../support/acp-agent.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

type Result = { output: string; session_id: string; exit_code: number; warnings?: string[] }

async function start(script: AcpScript = {}, profile: Record<string, string> = {}) {
  const directory = temporaryDirectory()
  const fake = { protocol: 'acp', command: [installAcpAgent(directory, script)], profile }
  const warm = { enabled: true, spare_after: 1 }
  const server = await startServer({
    agents: 'none',
    env: { PATH: process.env['PATH'] ?? '' },
    config: { warm, backends: { fake } },
  })
  return { server, directory }
}

async function ask(server: TestServer, over: object, path = '/api/v1/prompt'): Promise<Result> {
  const { status, body, text } = await server.request(path, { method: 'POST', body: over })
  expect([status, text]).toEqual([200, text])
  return body as Result
}

const prompt = (server: TestServer, text: string, over: object = {}) =>
  ask(server, { backend: 'fake', prompt: text, workdir: server.workdir, ...over })

const idle = (server: TestServer) =>
  until(() => server.context.prompts.warm?.list().some(({ state }) => state === 'idle') === true)

describe('a warm agent that speaks ACP', () => {
  it('gives the same result as one that was started for the prompt', async () => {
    const { server } = await start()
    const cold = await prompt(server, 'hello')
    await idle(server)
    const warm = await prompt(server, 'hello')
    const ids = ['session_id', 'duration_ms', 'execution_id']
    const facts = (answer: object) => Object.entries(answer).filter(([name]) => !ids.includes(name))
    expect(facts(warm)).toEqual(facts(cold))
    expect(server.context.prompts.warm?.list()).toMatchObject([{ backend: 'fake', turns: 1 }])
  })

  it('answers several prompts in one process, each in a session of its own', async () => {
    const { server, directory } = await start()
    await prompt(server, 'hello')
    await idle(server)
    const pids = [await prompt(server, 'pid'), await prompt(server, 'pid', { ephemeral: true })]
    expect(pids[1]?.output).toBe(pids[0]?.output)
    const frames = receivedFrames(directory).map(({ method }) => method)
    expect(frames.slice(-5)).toEqual([
      'session/new',
      'session/prompt',
      'session/new',
      'session/prompt',
      'session/delete',
    ])
  })

  it('continues a session in the process that has it, without loading it', async () => {
    const { server, directory } = await start({}, { resume: 'session/load' })
    await prompt(server, 'hello')
    await idle(server)
    const first = await prompt(server, 'pid')
    const second = await ask(server, { prompt: 'pid' }, `/api/v1/sessions/${first.session_id}/resume`)
    expect(second.output).toBe(first.output)
    expect(receivedFrames(directory).some(({ method }) => method === 'session/load')).toBe(false)
  })

  it('is not used again after a turn that failed', async () => {
    const { server } = await start({ turns: [[{ say: 'fine' }], [{ fails: { code: -32603, message: 'broken' } }]] })
    await prompt(server, 'hello')
    await idle(server)
    expect((await prompt(server, 'one')).output).toBe('fine')
    const failed = await prompt(server, 'two')
    expect(failed).toMatchObject({ exit_code: 1, error: 'broken' })
    expect((await prompt(server, 'three')).output).toBe('fine')
  })

  it('is replaced by a process of its own if it dies before it answers', async () => {
    const { server } = await start()
    await prompt(server, 'hello')
    await idle(server)
    const pid = Number((await prompt(server, 'pid')).output)
    process.kill(pid, 'SIGKILL')
    await until(() => !isRunning(pid))
    expect(await prompt(server, 'hello')).toMatchObject({ exit_code: 0, output: 'You said: hello' })
  })
})
