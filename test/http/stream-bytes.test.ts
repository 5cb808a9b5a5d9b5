/** Replays recorded output of real agents and compares the bytes of each stream with test/http/streams. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Backend } from '../../src/agents/adapter/agent.ts'
import { firstOf } from '../support/full-counts.ts'
import { startServer } from '../support/start-server.ts'

const RECORDINGS = join(import.meta.dirname, '..', 'recordings')
const STREAMS = join(import.meta.dirname, 'streams')
const NOW = new Date('2026-01-01T00:00:00Z')
const IDS = { uuid: () => '00000000-0000-4000-8000-000000000000', hex: (bytes: number) => '0f'.repeat(bytes) }

/** A server whose agents print this recording, with a fixed clock. */
async function replaying(backend: Backend, recording: string) {
  const file = join(RECORDINGS, backend, recording)
  const exitCode = Number(readFileSync(`${file}.exit`, 'utf8'))
  const script = { replay: `${file}.stdout`, exitCode, stderr: readFileSync(`${file}.stderr`, 'utf8') }
  const server = await startServer({
    env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) },
    context: { ids: IDS },
    clock: { now: () => NOW },
    ids: IDS,
  })
  return server
}

type Asking = {
  path: string
  contentType: string
  headers?: Record<string, string>
  body: (backend: Backend) => object
}

const messages = [{ role: 'user', content: 'say hello' }]

const STYLES: Readonly<Record<string, Asking>> = {
  native: {
    path: '/api/v1/prompt',
    contentType: 'application/x-ndjson',
    body: (backend) => ({ backend, prompt: 'say hello', output_format: 'stream-json' }),
  },
  chat: {
    path: '/openai/v1/chat/completions',
    contentType: 'text/event-stream; charset=utf-8',
    body: (model) => ({ model, messages, stream: true, stream_options: { include_usage: true } }),
  },
  message: {
    path: '/anthropic/v1/messages',
    contentType: 'text/event-stream; charset=utf-8',
    headers: { 'anthropic-version': '2023-06-01' },
    body: (model) => ({ model, max_tokens: 100, messages, stream: true }),
  },
}

const STREAMED: readonly [Backend, string][] = [
  ['claude', 'thinking.stream-json-partial'],
  ['codex', 'tool.stream-json'],
  ['gemini', 'tool.stream-json'],
  // This and the last one fail after the first words.
  ['claude', 'cut.stream-json-partial'],
  ['claude', 'plain.stream-json-partial'],
  ['claude', 'tool.stream-json-partial'],
  ['codex', 'plain.stream-json'],
  ['codex', 'thinking.stream-json'],
  ['gemini', 'plain.stream-json'],
  ['gemini', 'cut.stream-json'],
]

describe.each(firstOf(STREAMED, 4))('%s and its recording %s', (backend, recording) => {
  it.each(Object.entries(STYLES))('produce the expected %s stream', async (style, { path, contentType, ...asking }) => {
    const server = await replaying(backend, recording)
    const { headers = {}, body } = asking
    const answer = await server.request(path, { method: 'POST', headers, body: body(backend) })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': contentType,
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    // Duration and working directory differ in every test run.
    const settled = answer.text
      .replace(/"duration_ms":\d+/g, '"duration_ms":0')
      .replaceAll(server.workdir, '/workspace')
    const [name] = recording.split('.')
    await expect(settled).toMatchFileSnapshot(join(STREAMS, `${backend}-${name}.${style}.txt`))
  })
})

const FAILURES: readonly [Backend, string, number][] = [
  ['claude', 'e401.stream-json-partial', 502],
  ['codex', 'e429.stream-json', 429],
  ['codex', 'badflag.stream-json', 500],
  ['gemini', 'e500.stream-json', 500],
]

describe.each(firstOf(FAILURES, 2))(
  '%s and its recording %s of a failure without text',
  (backend, recording, status) => {
    it.each(['chat', 'message'])('produce an HTTP error instead of a %s stream', async (style) => {
      const server = await replaying(backend, recording)
      const { path, headers = {}, body } = STYLES[style] as Asking
      const answer = await server.request(path, { method: 'POST', headers, body: body(backend) })
      expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
        status,
        type: 'application/problem+json; charset=utf-8',
      })
      expect((answer.body as { detail: string }).detail).toMatch(new RegExp(`^${backend} failed: .`))
    })
  },
)
