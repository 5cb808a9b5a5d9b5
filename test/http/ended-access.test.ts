/** Responses that are being sent when their sender loses access. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type OpenStream, openStream } from '../support/read-stream.ts'
import { runDrover, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { RUNS, runClient, serveRuns } from '../support/served-runs.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const [ADA, BOB] = ['the-key-of-ada-lovelace', 'the-key-of-bob-the-builder']
/** An agent that writes a word every 50 ms, for minutes. */
const TALKING = { text: Array.from({ length: 6000 }, () => 'w '), chunkMs: 50 }

/** A server whose keys are in a file. */
async function serve(options: ServerOptions = {}) {
  const file = join(temporaryDirectory(), 'keys')
  writeFileSync(file, `${ADA}\n${BOB}\n`)
  const env = { DROVER_API_KEYS_FILE: file, FAKE_AGENT_SCRIPT: JSON.stringify(TALKING) }
  const server = await startServer({ ...options, env })
  const revoke = async (key: string) => {
    writeFileSync(file, `${[ADA, BOB].filter((each) => each !== key).join('\n')}\n`)
    await server.keys.reload(server.context.log)
  }
  return { server, revoke }
}

type Headers = Record<string, string>
type Request = Omit<Parameters<typeof openStream>[0], 'port' | 'headers'> & { headers?: Headers }

const STATES = { method: 'GET', path: '/api/v1/events' } as const
const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const QUESTION = {
  outcome: {
    status: 'needs_input',
    pause: { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null },
    suggested_actions: [],
  },
}

const messages = [{ role: 'user', content: 'talk' }]
const call = { name: 'prompt', arguments: { prompt: 'talk' }, _meta: { progressToken: 1 } }

/** Every kind of stream, of an execution that keeps running without it where it needs one. */
const streamsOf = (id: string): Readonly<Record<string, Request>> => ({
  'a native prompt': {
    path: '/api/v1/prompt',
    body: { backend: 'claude', prompt: 'talk', output_format: 'stream-json' },
  },
  'a chat completion': { path: '/openai/v1/chat/completions', body: { model: 'claude', messages, stream: true } },
  'a response': { path: '/openai/v1/responses', body: { model: 'claude', input: 'talk', stream: true } },
  'a message': {
    path: '/anthropic/v1/messages',
    body: { model: 'claude', messages, max_tokens: 9, stream: true },
    headers: { 'anthropic-version': '2023-06-01' },
  },
  'a tool call': {
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    headers: { accept: 'application/json, text/event-stream' },
  },
  'an execution': { method: 'GET', path: `/api/v1/executions/${id}/events` },
  'the states of executions': { ...STATES, headers: { accept: 'text/event-stream' } },
})

async function detach(server: TestServer, headers: Headers): Promise<string> {
  const body = { backend: 'claude', prompt: 'talk', detach: true }
  const answer = await server.request('/api/v1/prompt', { method: 'POST', body, headers })
  return (answer.body as { execution_id: string }).execution_id
}

/** Opens all kinds of streams, and waits until each has sent something. */
async function openAll(server: TestServer, headers: Headers) {
  const id = await detach(server, headers)
  const open = Object.entries(streamsOf(id)).map(async ([name, { headers: own, ...request }]) => {
    const stream = await openStream({ port: server.port, ...request, headers: { ...headers, ...own } })
    expect([name, stream.status]).toEqual([name, 200])
    await stream.nextLine()
    return stream
  })
  return { id, streams: await Promise.all(open) }
}

/** Of the streams, and one without a stream. */
const PROMPTS = 7

const cutIn = (server: TestServer) => server.access.filter(({ error }) => error === 'access_ended')

const allEnd = (streams: readonly OpenStream[]) => Promise.all(streams.map((stream) => stream.rest()))

async function logIn(server: TestServer): Promise<Headers> {
  const { headers, body } = await server.request('/api/v1/login', { method: 'POST', body: { key: ADA } })
  const { page_secret: secret } = body as { page_secret: string }
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', 'x-drover-page-secret': secret }
}

describe('the streams of a key', () => {
  it('end when the key is revoked, whatever they send, and those of other keys continue', async () => {
    const { server, revoke } = await serve()
    const ada = { 'x-api-key': ADA }
    const { id, streams } = await openAll(server, ada)
    const body = { backend: 'claude', prompt: 'talk' }
    const waiting = expect(server.request('/api/v1/prompt', { method: 'POST', body, headers: ada })).rejects.toThrow()
    await openStream({ port: server.port, ...STATES, headers: { 'x-api-key': BOB } })
    await until(() => server.context.drover.slots.load().running === PROMPTS)
    await revoke(ADA)
    await allEnd(streams)
    await waiting
    await until(() => cutIn(server).length === streams.length + 1)
    // A request has a line in the log when it ends.
    expect(server.access.filter(({ route }) => route === STATES.path)).toHaveLength(1)
    // A prompt whose client is gone is canceled; the detached one keeps running.
    await until(() => server.context.drover.slots.load().running === 1)
    expect(server.context.drover.records.find(id)?.state).toBe('running')
  })

  it('of a run end when the key is revoked, and the run continues', async () => {
    const file = join(temporaryDirectory(), 'keys')
    writeFileSync(file, `${ADA}\n${BOB}\n`)
    const { server, repository } = await serveRuns({ orient: [QUESTION] }, { env: { DROVER_API_KEYS_FILE: file } })
    const headers = { 'x-api-key': ADA }
    const runs = runClient((path, request) => server.request(path, request), headers)
    const { id } = await runs.start({ repository })
    await runs.reaches(id, 'waiting')
    const path = `${RUNS}/${id}/events`
    const stream = await openStream({ port: server.port, path, method: 'GET', headers })
    await stream.nextLine()
    const hasKeys = async (...keys: string[]) => {
      writeFileSync(file, keys.join('\n'))
      await server.keys.reload(server.context.log)
    }
    await hasKeys(BOB)
    await stream.rest()
    await until(() => cutIn(server).length === 1)
    await hasKeys(ADA, BOB)
    expect(await runs.show(id)).toMatchObject({ state: 'waiting' })
  })

  it('end when drover serve learns of it, from each source of keys, or when the key is no operator any more', async () => {
    const directory = temporaryDirectory()
    const [file, gopass] = [join(directory, 'keys'), join(directory, 'gopass')]
    writeFileSync(file, 'key-of-the-file')
    writeFileSync(gopass, '#!/bin/sh\necho key-of-gopass\n', { mode: 0o755 })
    const env = {
      PATH: `${directory}:/usr/bin:/bin`,
      HOME: directory,
      DROVER_API_KEYS_FILE: file,
      DROVER_API_KEYS_GOPASS_PATH: 'a',
    }
    const create = async (...args: string[]) => (await runDrover(['keys', 'create', ...args], { env })).stdout.trim()
    const [config, operator] = [await create('ada'), await create('eve', '--role', 'operator')]
    const serving = serveDrover(['-p', '0', '--demo'], env)
    const port = await portOf(serving)
    const keys = [config, operator, 'key-of-the-file', 'key-of-gopass']
    const streams = keys.map((key) => openStream({ port, ...STATES, headers: { 'x-api-key': key } }))
    const [ofConfig, ofOperator, ofFile, ofGopass] = (await Promise.all(streams)) as [OpenStream, ...OpenStream[]]
    expect((await runDrover(['keys', 'revoke', 'ada'], { env })).code).toBe(0)
    await ofConfig.rest()
    writeFileSync(file, 'another-key-of-the-file')
    await ofFile?.rest()
    const settings = join(directory, '.drover', 'config.yaml')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('role: operator', 'role: client'))
    await ofOperator?.rest()
    writeFileSync(gopass, '#!/bin/sh\necho another-key-of-gopass\n')
    serving.child.kill('SIGHUP')
    await ofGopass?.rest()
    await until(() => serving.heard.stderr.split('"access_ended"').length === keys.length + 1)
  })
})

describe('the streams of a login', () => {
  it('end when the page logs out, and only those', async () => {
    const { server } = await serve()
    const [page, other] = [await logIn(server), await logIn(server)]
    const { streams } = await openAll(server, page)
    await openStream({ port: server.port, ...STATES, headers: other })
    expect(await server.request('/api/v1/logout', { method: 'POST', headers: page })).toMatchObject({ status: 200 })
    await allEnd(streams)
    await until(() => cutIn(server).length === streams.length)
    expect(server.access.filter(({ route }) => route === STATES.path)).toHaveLength(1)
  })

  it('end when the login expires, or its key is revoked', async () => {
    const clock = { now: () => new Date(Date.now() + passedMs) }
    let passedMs = 0
    const { server, revoke } = await serve({ clock })
    const first = await openStream({ port: server.port, ...STATES, headers: await logIn(server) })
    passedMs = WEEK_MS
    await first.rest()
    const second = await openStream({ port: server.port, ...STATES, headers: await logIn(server) })
    await revoke(ADA)
    await second.rest()
  })
})
