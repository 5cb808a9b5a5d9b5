import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../support/start-server.ts'

const LIMITS = { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 2 }
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')

const statuses = async (server: TestServer, calls: readonly Record<string, string>[]) => {
  const found: number[] = []
  for (const headers of calls) found.push((await server.request('/health', { headers })).status)
  return found
}

// On a busy machine, more than a second may pass between two requests.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('the rate limit', () => {
  it('allows a burst, then answers 429 with Retry-After', async () => {
    const server = await startServer({ server: LIMITS })
    const first = await server.request('/health')
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '1' })
    await server.request('/health')
    const { status, headers, body } = await server.request('/health')
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        error: 'too_many_requests',
        message: 'too many requests; retry in 1 second',
        retryable: true,
        details: { limit: 2, retry_after_secs: 1 },
      },
    })
    expect(headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '2',
    })
  })

  it('is off by default', async () => {
    const server = await startServer()
    const { headers } = await server.request('/health')
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([])
  })

  it('does not count the files that the documentation page loads', async () => {
    const server = await startServer({ server: LIMITS })
    const { text } = await server.request('/docs')
    const files = [...text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file]) => `/${file}`)
    expect(files.length).toBeGreaterThan(2)
    const answers = await Promise.all(files.map((file) => server.request(file)))
    expect(answers.map(({ status }) => status)).toEqual(files.map(() => 200))
    const isCounted = ({ headers }: { headers: object }) => 'ratelimit-limit' in headers
    expect(answers.filter(isCounted)).toEqual([])
    expect(isCounted(await server.request('/openapi.json'))).toBe(true)
  })

  it('has the problem type rate-limited in the compatible APIs', async () => {
    const server = await startServer({ server: { ...LIMITS, rate_limit_burst: 1 } })
    await server.request('/openai/v1/models')
    const { status, body } = await server.request('/openai/v1/models')
    expect({ status, body }).toMatchObject({
      status: 429,
      body: {
        type: 'https://drover.dev/errors/rate-limited',
        title: 'Rate Limited',
        error: { type: 'rate_limit_error', code: 'too_many_requests' },
      },
    })
  })

  it('counts each valid key separately, with its own limits, and all other requests by address', async () => {
    const keys = [{ name: 'big', sha256: digestOf('big'), rate_limit_burst: 3 }]
    const server = await startServer({ server: { ...LIMITS, keys }, env: { DROVER_API_KEYS: 'small' } })
    const [big, small, wrong] = ['big', 'small', 'wrong'].map((key) => ({ 'x-api-key': key }))
    if (big === undefined || small === undefined || wrong === undefined) throw new Error('three keys')
    expect(await statuses(server, [big, big, big, big])).toEqual([200, 200, 200, 429])
    expect(await statuses(server, [small, small, small])).toEqual([200, 200, 429])
    expect(await statuses(server, [wrong, {}, wrong, {}])).toEqual([200, 200, 429, 429])
  })

  it('is checked before the key, and counts failed requests too', async () => {
    const server = await startServer({ server: LIMITS, env: { DROVER_API_KEYS: 'k' } })
    const ask = async () => (await server.request('/api/v1/backends')).status
    expect([await ask(), await ask(), await ask()]).toEqual([401, 401, 429])
    expect(server.done.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
      [429, 'too_many_requests'],
    ])
  })

  it('uses X-Forwarded-For of trusted proxies only', async () => {
    const through = (address: string) => ({ 'x-forwarded-for': address })
    const trusting = await startServer({ server: { ...LIMITS, trusted_proxies: ['127.0.0.0/8'] } })
    const calls = [
      through('1.1.1.1'),
      through('1.1.1.1'),
      through('1.1.1.1'),
      through('2.2.2.2'),
      through('9.9.9.9, 1.1.1.1'),
    ]
    expect(await statuses(trusting, calls)).toEqual([200, 200, 429, 200, 429])
    expect(trusting.access[0]).toMatchObject({ client: '1.1.1.1' })
    const doubting = await startServer({ server: LIMITS })
    expect(await statuses(doubting, calls.slice(1))).toEqual([200, 200, 429, 429])
    expect(doubting.access[0]).toMatchObject({ client: '127.0.0.1' })
  })
})
