import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createJsonRpcPeer, type JsonRpcHandlers, readJsonRpcFrame } from './json-rpc.ts'

/** A peer, and the other side of its streams. */
function setup(
  over: Partial<JsonRpcHandlers> = {},
  options: { hasVersion?: boolean; limitBytes?: number } = {},
  untilRead: () => Promise<void> = async () => undefined,
) {
  const stdout = new PassThrough()
  const sent: unknown[] = []
  const handled: unknown[] = []
  const warnings: string[] = []
  const stdin = {
    write: async (text: string) => {
      expect(text.endsWith('\n')).toBe(true)
      sent.push(JSON.parse(text))
      await untilRead()
    },
    end: () => {},
    refused: new Promise<void>(() => {}),
  }
  const handlers: JsonRpcHandlers = {
    onRequest: () => undefined,
    onNotification: (method, params) => void handled.push({ method, params }),
    onWarning: (text) => warnings.push(text),
    ...over,
  }
  const peer = createJsonRpcPeer({ stdin, stdout }, handlers, { hasVersion: true, ...options })
  const say = (...frames: unknown[]) => {
    stdout.write(frames.map((frame) => `${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`).join(''))
  }
  const close = async () => {
    stdout.end()
    await peer.closed
  }
  return { peer, say, sent, handled, warnings, close }
}

describe('readJsonRpcFrame', () => {
  it.each([
    [
      { id: 1, method: 'm', params: { a: 1 } },
      { kind: 'request', id: 1, method: 'm', params: { a: 1 } },
    ],
    [
      { id: 'x', method: 'm' },
      { kind: 'request', id: 'x', method: 'm', params: {} },
    ],
    [
      { method: 'm', params: [1] },
      { kind: 'notification', method: 'm', params: {} },
    ],
    [
      { method: 'm', id: null },
      { kind: 'request', id: null, method: 'm', params: {} },
    ],
    [
      { id: 0, result: null },
      { kind: 'answer', id: 0, result: null },
    ],
    [
      { id: 2, error: { code: 5, message: 'no', data: 7 } },
      { kind: 'failure', id: 2, error: { code: 5, message: 'no', data: 7 } },
    ],
    [
      { id: 2, error: {} },
      { kind: 'failure', id: 2, error: { code: -32603, message: 'the agent gave no reason' } },
    ],
    [{ id: null, error: { code: -32700, message: 'parse error' } }, { kind: 'invalid' }],
    [{ id: 3 }, { kind: 'invalid' }],
    [{ method: 7 }, { kind: 'invalid' }],
    [{}, { kind: 'invalid' }],
  ])('reads %j', (frame, read) => {
    expect(readJsonRpcFrame(frame)).toEqual(read)
  })
})

describe('a request to the agent', () => {
  it('resolves with the answer that has its id, in any order', async () => {
    const { peer, say, sent } = setup()
    const [first, second] = [peer.request('a', { n: 1 }), peer.request('b', {})]
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { n: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b', params: {} },
    ])
    say({ id: 2, result: 'two' }, { id: 1, result: 'one' })
    expect(await Promise.all([first, second])).toEqual(['one', 'two'])
  })

  it('carries no version for an agent that wants none', async () => {
    const { peer, sent } = setup({}, { hasVersion: false })
    await peer.notify('hello')
    expect(sent).toEqual([{ method: 'hello' }])
  })

  it('rejects with the error of the agent', async () => {
    const { peer, say } = setup()
    const request = peer.request('a', {})
    say({ id: 1, error: { code: 401, message: 'no key' } })
    await expect(request).rejects.toMatchObject({
      code: 'agent_request_failed',
      details: { method: 'a', code: 401, message: 'no key' },
    })
  })

  it('settles before a later frame of the same chunk is handled', async () => {
    const { peer, say, handled } = setup()
    const request = peer.request('a', {}).then(async () => {
      await Promise.resolve()
      return [...handled]
    })
    say({ method: 'before' }, { id: 1, result: {} }, { method: 'after' })
    expect(await request).toEqual([{ method: 'before', params: {} }])
    await expect.poll(() => handled).toHaveLength(2)
  })

  it('is rejected when the stream closes, and so is each later one', async () => {
    const { peer, close } = setup()
    const request = peer.request('a', {})
    const expected = expect(request).rejects.toMatchObject({ code: 'agent_disconnected' })
    await close()
    await expected
    await expect(peer.request('b', {})).rejects.toMatchObject({ code: 'agent_disconnected' })
  })

  it('is given up when its signal is aborted, which the agent is told, and its late answer is skipped', async () => {
    const { peer, say, sent, warnings } = setup()
    const controller = new AbortController()
    const request = peer.request('a', {}, controller.signal)
    controller.abort()
    await expect(request).rejects.toMatchObject({ code: 'agent_disconnected', details: { method: 'a' } })
    expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 1 } })
    say({ id: 1, result: {} })
    await expect.poll(() => warnings).toEqual(['an answer to no request was skipped: id 1'])
  })
})

describe('a request of the agent', () => {
  it('gets the result of the handler, without delaying the next frame', async () => {
    const result = Promise.withResolvers<unknown>()
    const { say, sent, handled } = setup({ onRequest: (method) => (method === 'ask' ? result.promise : undefined) })
    say({ id: 'q', method: 'ask' }, { method: 'next' })
    await expect.poll(() => handled).toHaveLength(1)
    expect(sent).toEqual([])
    result.resolve({ ok: true })
    await expect.poll(() => sent).toEqual([{ jsonrpc: '2.0', id: 'q', result: { ok: true } }])
  })

  it.each([
    ['is unknown', undefined, { code: -32601, message: 'there is no such method' }],
    ['fails', () => Promise.reject(new Error('disk full')), { code: -32603, message: 'disk full' }],
  ])('that %s gets an error', async (_, onRequest, error) => {
    const { say, sent } = setup(onRequest && { onRequest })
    say({ id: 0, method: 'fs/read' })
    await expect.poll(() => sent).toEqual([{ jsonrpc: '2.0', id: 0, error }])
  })

  it('may have the id null; an unknown method is then a notification', async () => {
    const onRequest = (method: string) => (method === 'known' ? Promise.resolve('yes') : undefined)
    const { say, sent, handled, close } = setup({ onRequest })
    say({ id: null, method: 'known' }, { id: null, method: 'other' })
    await close()
    expect(sent).toEqual([{ jsonrpc: '2.0', id: null, result: 'yes' }])
    expect(handled).toEqual([{ method: 'other', params: {} }])
  })

  it('is refused while a thousand others wait for their answers', async () => {
    const { say, sent, close } = setup({ onRequest: () => new Promise(() => undefined) })
    say(...Array.from({ length: 1001 }, (_, id) => ({ id, method: 'wait' })))
    await close()
    expect(sent).toMatchObject([{ id: 1000, error: { message: 'too many requests at once' } }])
  })

  it('waits while the agent does not read the answers', async () => {
    const { promise: read, resolve } = Promise.withResolvers<void>()
    let requests = 0
    const onRequest = async () => {
      requests += 1
      return 'x'.repeat(20 * 1024 * 1024)
    }
    const { say, close } = setup({ onRequest }, {}, () => read)
    say({ id: 1, method: 'a' }, { id: 2, method: 'a' }, { id: 3, method: 'a' }, { id: 4, method: 'a' })
    await new Promise((done) => setImmediate(done))
    expect(requests).toBeLessThan(4)
    resolve()
    await close()
    expect(requests).toBe(4)
  })

  it('without a result is answered with null', async () => {
    const { say, sent } = setup({ onRequest: async () => undefined })
    say({ id: 0, method: 'ping' })
    await expect.poll(() => sent).toEqual([{ jsonrpc: '2.0', id: 0, result: null }])
  })
})

describe('a frame', () => {
  it('that is not JSON, not JSON-RPC or too long is skipped with a warning', async () => {
    const { say, handled, warnings, close } = setup({}, { limitBytes: 60 })
    const fitting = { method: 'fits', params: { pad: 'x'.repeat(60 - 37) } }
    expect(JSON.stringify(fitting)).toHaveLength(60)
    say('Loading…', '', '[1]', { id: 3 }, { ...fitting, params: { pad: 'x'.repeat(61 - 37) } }, fitting)
    await close()
    expect(handled).toEqual([fitting])
    expect(warnings).toEqual([
      'a line of 61 bytes was skipped: it is too long for an event',
      'a line that is not a JSON object was skipped: "Loading…"',
      'a line that is not a JSON object was skipped: "[1]"',
      'a frame that is not JSON-RPC was skipped',
    ])
  })

  it('waits until the handler of the one before it is done', async () => {
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    const { say, close } = setup({
      onNotification: async (method) => {
        seen.push(method)
        if (method === 'slow') await gate.promise
      },
    })
    say({ method: 'slow' }, { method: 'next' })
    await expect.poll(() => seen).toEqual(['slow'])
    gate.resolve()
    await close()
    expect(seen).toEqual(['slow', 'next'])
  })

  it('is passed on as the line it was', async () => {
    const lines: string[] = []
    const { say, close } = setup({ onNotification: (_method, _params, line) => void lines.push(line) })
    say('{ "method": "m" }', 'noise')
    await close()
    expect(lines).toEqual(['{ "method": "m" }'])
  })
})
