/** The server answers any input to the native API, and never with an internal error. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SessionEditRequest } from '../../src/http/native/sessions.shape.ts'
import {
  ChainRequest,
  CompareRequest,
  ParallelRequest,
  PromptBody,
  ResumeRequest,
} from '../../src/prompts/prompt-request.shape.ts'
import { broken, fitting } from '../support/arbitrary-of-shape.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { startServer } from '../support/start-server.ts'

/** Set `DROVER_FUZZ_RUNS` for a longer run, with bodies that are new each time. */
const LONG_RUNS = process.env['DROVER_FUZZ_RUNS']
const RUNS = LONG_RUNS === undefined ? { numRuns: IS_FULL ? 100 : 50, seed: 1 } : { numRuns: Number(LONG_RUNS) }

/** Dry runs: no agent is started. */
const open = () => startServer({ config: { unified_flags: { dry_run: true } } })

/** Hardly any text is an image, a directory or the name of an MCP server: all prompts with one would be refused. */
const {
  attachments: _,
  mcp_servers: _servers,
  additional_directories: _directories,
  ...withoutFiles
} = PromptBody.properties
const { additional_directories: _compared, output_schema: _schema, ...withoutPlaces } = CompareRequest.properties

const BODIES = [
  ['POST', '/prompt', { ...PromptBody, properties: withoutFiles }],
  ['POST', '/parallel', ParallelRequest],
  ['POST', '/chain', ChainRequest],
  ['POST', '/compare', { ...CompareRequest, properties: withoutPlaces }],
  ['POST', '/sessions/0123/resume', ResumeRequest],
  ['PATCH', '/sessions/0123', SessionEditRequest],
] as const

describe.each(BODIES)('%s %s', (method, path, shape) => {
  it.each([
    ['fits its shape', fitting(shape), path.startsWith('/sessions') ? [400, 404] : [200, 400]],
    ['does not fit it', broken(shape), [400]],
  ])('answers every body that %s without an internal error', async (_name, bodies, met) => {
    const { request } = await open()
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await request(`/api/v1${path}`, {
          method,
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        })
        // Detached, it is accepted.
        statuses.add(answer.status === 202 ? 200 : answer.status)
        expect([200, 202, 400, 404, 413]).toContain(answer.status)
        if (answer.status >= 400)
          expect(answer.body).toMatchObject({ error: expect.any(String), message: expect.any(String) })
      }),
      RUNS,
    )
    expect([...statuses]).toEqual(expect.arrayContaining(met))
  })
})

describe('the native API', () => {
  it('answers any bytes as a body', async () => {
    const { request } = await open()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const answer = await request('/api/v1/prompt', { method: 'POST', body: bytes })
        expect(answer.status).toBe(400)
      }),
      RUNS,
    )
  })

  it('answers any path and query', async () => {
    const { request } = await open()
    const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map(encode)
    const query = fc.array(
      fc.tuple(fc.constantFrom('limit', 'offset', 'status', 'backend', 'since', 'tag', 'search', 'other'), part),
      { maxLength: 3 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'DELETE', 'HEAD', 'POST', 'PUT'),
        part,
        query,
        async (method, id, fields) => {
          const text = fields.map((field) => field.join('=')).join('&')
          const answer = await request(`/api/v1/sessions/${id}?${text}`, { method })
          expect(answer.status).toBeLessThan(500)
          const list = await request(`/api/v1/sessions?${text}`)
          expect([200, 400]).toContain(list.status)
        },
      ),
      RUNS,
    )
  })
})

/** Removes lone surrogates, which cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
