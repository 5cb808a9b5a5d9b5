/** Streams of the compatible APIs whose agent is silent, or whose client is slow or gone. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { installSilentAgent } from '../support/fake-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { openStream } from '../support/read-stream.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

type Api = { path: string; headers: Record<string, string>; body: object; begin: RegExp[]; beat: string[]; end: string }

const messages = [{ role: 'user', content: 'say hello' }]

const APIS: Readonly<Record<string, Api>> = {
  chat: {
    path: '/openai/v1/chat/completions',
    headers: {},
    body: { model: 'claude', messages, stream: true },
    begin: [/^data: .*"delta":\{"role":"assistant"\},"finish_reason":null\}\]\}$/, /^$/],
    beat: [': waiting', ''],
    end: 'data: [DONE]',
  },
  message: {
    path: '/anthropic/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'claude', max_tokens: 9, messages, stream: true },
    begin: [/^event: message_start$/, /^data: \{"type":"message_start"/, /^$/],
    beat: ['event: ping', 'data: {"type":"ping"}', ''],
    end: 'data: {"type":"message_stop"}',
  },
}

const scripted = (script: Script, options: ServerOptions = {}) =>
  startServer({ ...options, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) } })

const agentIn = (file: string) =>
  until(() => existsSync(file) && (JSON.parse(readFileSync(file, 'utf8') || '{}').agent as number))

describe.each(Object.entries(APIS))('a %s stream', (_name, { path, headers, body, begin, beat, end }) => {
  it('begins with a heartbeat if the agent is silent', async () => {
    const server = await scripted({ hangAfter: 'init' }, { context: { heartbeatMs: 50 } })
    const stream = await openStream({ port: server.port, path, headers, body })
    for (const line of begin) expect(await stream.nextLine()).toMatch(line)
    for (const line of [...beat, ...beat]) expect(await stream.nextLine()).toBe(line)
    stream.hangUp()
    await until(() => server.context.drover.slots.load().running === 0)
  })

  it('ends with an error if the agent fails after that', async () => {
    const env = { PATH: `${installSilentAgent(temporaryDirectory())}:/usr/bin:/bin` }
    const server = await startServer({ env, context: { heartbeatMs: 50 }, server: { request_timeout_secs: 2 } })
    const stream = await openStream({ port: server.port, path, headers, body })
    expect(stream.status).toBe(200)
    const lines = (await stream.rest()).filter((line) => line !== '')
    expect(lines.at(-1)).toMatch(/^data: .*"claude did not finish within 2 s and was stopped"/)
    expect(lines).not.toContain(end)
  })

  it.runIf(IS_FULL)('is complete if the client reads slowly', async () => {
    const lines = IS_FULL ? 50_000 : 5_000
    const server = await scripted({ lines, text: ['the end'] })
    const stream = await openStream({ port: server.port, path, headers, body })
    await stream.nextLine()
    stream.pause()
    const rest = await stream.rest()
    expect(rest.filter((line) => /^data: .*line \d+ /.test(line))).toHaveLength(lines)
    expect(rest.filter((line) => line !== '').at(-1)).toBe(end)
  })

  it('ends the agent if the client disconnects before it begins', async () => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const server = await scripted({ hangAfter: 'init', pidFile })
    const leaving = new AbortController()
    const asked = server.request(path, { method: 'POST', headers, body, signal: leaving.signal })
    const agent = await agentIn(pidFile)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await until(() => !isRunning(agent))
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ status: 499 }])
  })
})
