/** Runs that MCP clients start, and runs that agents start. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { connectClient } from '../support/mcp-client.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { GOAL, RUNS, serveRuns } from '../support/served-runs.ts'
import { until } from '../support/until.ts'

const PAUSE = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
const QUESTION = { outcome: { status: 'needs_input', pause: PAUSE, suggested_actions: [] } }

describe('a run', () => {
  it.runIf(IS_FULL)('goes from its goal over its question to a branch, for the key that started it', async () => {
    const keys = ['a', 'b'].map((name) => ({ name, sha256: digest(`key-of-${name}`) }))
    const { server, repository, driving } = await serveRuns({ orient: [QUESTION, {}] }, { server: { keys } })
    const connect = (key: string) => {
      const requestInit = { headers: { authorization: `Bearer ${key}` } }
      return connectClient(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
    }
    const [a, b] = [await connect('key-of-a'), await connect('key-of-b')]
    const refused = await a.call('run_start', { goal: GOAL, repository: driving.scratch })
    expect(refused).toMatchObject({ isError: true, view: { error: { code: 'drive_repository_not_named' } } })
    const started = await a.call('run_start', { goal: GOAL, repository, review: false })
    expect(started).toMatchObject({ isError: false, view: { run: { goal: GOAL, state: 'running' } } })
    const run = { run_id: started.view.run?.['id'] }
    const answer = { ...run, text: 'Knots.' }
    const waiting = await a.call('run_status', { ...run, wait_secs: 60 })
    expect(waiting).toMatchObject({
      text: expect.stringContaining('It waits (decision_required): Knots or km/h?'),
      view: { run: { state: 'waiting' }, next: expect.stringContaining('run_answer') },
    })
    for (const [name, given] of [
      ['run_status', run],
      ['run_answer', answer],
      ['run_follow_up', { ...run, also: ['more'] }],
    ] as const) {
      expect((await b.call(name, given)).text, name).toMatch(/^driven_run_not_found: /)
    }
    const stale = await a.call('run_answer', { ...answer, action_id: 'another' })
    expect(stale.text).toMatch(/^stale_action: /)
    expect((await a.call('run_answer', answer)).view.run).toMatchObject({ state: 'running' })
    const ended = await a.call('run_status', { ...run, wait_secs: 60 })
    expect(ended.view).toMatchObject({
      run: { state: 'ended', delivered: { as: 'branch' } },
      next: expect.stringContaining('It is over.'),
    })
    const branch = /delivered: branch (\S+)/.exec(ended.text)?.[1]
    expect(driving.repository.git('show', `${branch}:wind.txt`)).toBe('wind: 23 knots\n')
    const late = await a.call('run_answer', answer)
    expect([late.isError, late.view.error?.code]).toEqual([true, 'driven_run_over'])
  })
  it('is as deep as the agent that started it, also if a person lets it continue, and is refused one deeper', async () => {
    const depths = join(temporaryDirectory(), 'depths')
    const tells = { runs: [`echo $DROVER_DEPTH >> ${depths}`] }
    const { server, post, change, reaches, list } = await serveRuns({ orient: [{ ...QUESTION, ...tells }, tells] })
    const start = (depth: string) =>
      server.request(RUNS, { method: 'POST', headers: { 'x-drover-depth': depth }, body: { goal: GOAL } })
    expect(await start('2')).toMatchObject({ status: 403, body: { error: 'nesting_too_deep' } })
    expect((await list()).runs).toEqual([])
    const { id } = (await start('1')).body as { id: string }
    await reaches(id, 'waiting')
    const headers = { 'x-drover-depth': '2' }
    const deep = await server.request(`${RUNS}/${id}/answer`, { method: 'POST', headers, body: { text: 'Knots.' } })
    expect(deep).toMatchObject({ status: 403 })
    expect(await change(id, 'answer', { text: 'Knots.' })).toMatchObject({ status: 200 })
    await until(() => readFileSync(depths, 'utf8') === '2\n2\n')
    await post(`${RUNS}/${id}/stop`)
  })
})
