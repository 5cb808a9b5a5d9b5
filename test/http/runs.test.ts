import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestScope } from '../../src/contract/destructive.ts'
import type { DrivenRun } from '../../src/drive/service/driven-run.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { dataOf, HONEST } from '../support/driven-home.ts'
import { toFakeGitHub } from '../support/fake-gh.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { findUndescribed } from '../support/openapi-document.ts'
import { openStream } from '../support/read-stream.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { GOAL, RUNS, runClient, serveRuns } from '../support/served-runs.ts'
import { FIVE_SECTIONS, makeBundle } from '../support/source-bundle.ts'
import { until } from '../support/until.ts'

const asking = (pause: object) => ({ outcome: { status: 'needs_input', pause, suggested_actions: [] } })
const QUESTION = asking({ reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null })

describe('POST /api/v1/runs', () => {
  it('goes from a goal to a commit on a branch, with everything a console shows', async () => {
    const { post, reaches, driving, server, repository } = await serveRuns()
    const answer = await post(RUNS, { goal: GOAL, repository, checks: ['sh check.sh'] })
    expect(answer).toMatchObject({ status: 201, body: { goal: GOAL, state: 'running', driven_by: 'this_server' } })
    expect(findUndescribed('POST', RUNS, answer)).toEqual([])
    const { id } = answer.body as DrivenRun
    expect(answer.headers['location']).toBe(`${RUNS}/${id}`)
    const run = await reaches(id, 'ended')
    expect(findUndescribed('GET', `${RUNS}/{id}`, await server.request(`${RUNS}/${id.slice(0, 8)}`))).toEqual([])
    expect(driving.repository.git('show', `${run.delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
    expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(run).toMatchObject({
      backend: 'claude',
      review_backend: 'codex',
      actions: { taken: 4, remaining: 4 },
      choices: ['follow-up', 'merge', 'pull-request', 'take', 'discard'],
      findings: [],
      report: expect.stringContaining(`Run \`${id}\``),
    })
    const implement = run.attempts?.find(({ action_kind: kind }) => kind === 'implement')
    expect(implement).toMatchObject({ how: 'answered', checks: [{ command: 'sh check.sh', passed: true }] })
    expect(implement?.evidence?.claims).toMatchObject([{ subject: 'wind.txt', verdict: 'observed' }])
    const changes = await server.request(`${RUNS}/${id}/diff`)
    expect(findUndescribed('GET', `${RUNS}/{id}/diff`, changes)).toEqual([])
    expect(changes.body).toMatchObject({
      branch: run.delivered?.branch,
      commit: run.delivered?.commit,
      files: expect.arrayContaining([{ path: 'wind.txt', insertions: 1, deletions: 1 }]),
      patch: expect.stringContaining('\n+wind: 23 knots\n'),
      is_cut: false,
    })
    const part = async (query: string) => (await server.request(`${RUNS}/${id}/diff?${query}`)).body
    expect(await part('files_only=true')).toMatchObject({
      files: (changes.body as { files: object[] }).files,
      patch: '',
      is_cut: false,
    })
    expect(await part('path=wind.txt&context=0')).toMatchObject({
      files: [{ path: 'wind.txt', insertions: 1, deletions: 1 }],
      patch: expect.stringMatching(/^diff --git a\/wind\.txt [^@]+@@ -1 \+1 @@\n-.+\n\+wind: 23 knots\n$/),
      is_cut: false,
    })
    expect(await part('path=calm.txt')).toMatchObject({ error: 'file_not_changed' })
    for (const wrong of ['context=-1', 'context=100001', 'files_only=yes', 'file=wind.txt'])
      expect(await part(wrong)).toMatchObject({ error: 'invalid_request' })
    const night = await server.request('/api/v1/report')
    expect(findUndescribed('GET', '/api/v1/report', night)).toEqual([])
    const shown = { run_id: id, section: 'Delivered', paths: expect.arrayContaining(['wind.txt']) }
    expect(night.body).toMatchObject({
      repositories: [{ repository, report: { runs: [shown], merge: { order: [run.delivered?.branch] } } }],
    })
    const later = new Date(Date.now() + 1000).toISOString()
    expect((await server.request(`/api/v1/report?since=${later}`)).body).toEqual({ since: later, repositories: [] })
    expect(await server.request('/api/v1/report?since=yesterday')).toMatchObject({ status: 400 })
    // Every attempt is an execution of this server.
    const execution = await server.request(`/api/v1/executions/${implement?.execution_id}`)
    expect(execution.body).toMatchObject({ kind: 'action', parent_id: id, state: 'completed' })
    const session = await server.request(`/api/v1/sessions/${implement?.session_id}`)
    expect(session.body).toMatchObject({ title: GOAL })
  })

  it.runIf(IS_FULL)('shows the sections that a run is bound to, before and after the delivery', async () => {
    const { start, show, reaches, driving } = await serveRuns()
    driving.installGitHub(toFakeGitHub(makeBundle()))
    driving.repository.git('remote', 'add', 'origin', 'https://github.com/ada/weather.git')
    const { id } = await start({ goal: undefined, issue_number: 7 })
    const expected = FIVE_SECTIONS.map(({ key, title, text }) => ({ key, title, markdown: text }))
    expect(await show(id)).toMatchObject({ source: { title: expect.any(String), sections: expected } })
    expect(await reaches(id, 'ended')).toMatchObject({ source: { sections: expected } })
  })

  it('refuses what is wrong, and starts nothing', async () => {
    const { post, list, driving } = await serveRuns()
    const wrong = [
      ['an unnamed repository', { repository: '/' }, 'drive_repository_not_named'],
      ['a check that is not in the settings', { checks: ['rm -r .'] }, 'drive_check_not_allowed'],
      ['a pull request', { deliver: 'pr' }, 'drive_delivery_not_allowed'],
      ['two goals', { issue_number: 7 }, 'drive_goal_conflict'],
      [
        'an issue of another repository',
        { goal: undefined, issue: 'https://github.com/a/b/issues/1' },
        'drive_issue_not_allowed',
      ],
      ['a backend that does not exist', { backend: 'clod' }, 'backend_not_found'],
      ['a limit that cannot be kept', { backend: 'codex', model: 'mine', max_cost_usd: 1 }, 'drive_cap_unsupported'],
      ['too many actions', { actions: 1001 }, 'invalid_request'],
      ['no actions', { actions: 0 }, 'invalid_request'],
      ['no time', { max_time_secs: 0 }, 'invalid_request'],
      ['too many rounds', { rounds: 21 }, 'invalid_request'],
      ['an unknown field', { in_place: true }, 'invalid_request'],
      ['a blank goal', { goal: ' ' }, 'goal_required'],
      ['a goal that is too long', { goal: 'x'.repeat(262_144) }, 'action_too_large', 413],
    ] as const
    for (const [what, body, error, code = 400] of wrong) {
      const { status, body: refusal } = await post(RUNS, { goal: GOAL, ...body })
      expect({ what, status, refusal }).toMatchObject({ what, status: code, refusal: { error } })
      if (error === 'drive_cap_unsupported') expect(JSON.stringify(refusal)).toContain('(over HTTP: max_cost_usd)')
    }
    expect((await list()).runs).toEqual([])
    expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(driving.repository.git('branch', '--list', 'drover/*')).toBe('')
  })

  it('starts one run for a request that is sent twice with the same key', async () => {
    const { server, list, change } = await serveRuns({ orient: [{ hangs: true }] })
    const headers = { 'idempotency-key': 'once' }
    const send = (goal: string) => server.request(RUNS, { method: 'POST', headers, body: { goal } })
    const answers = await Promise.all([send(GOAL), send(GOAL)])
    const [one, two] = answers.map(({ body }) => (body as DrivenRun).id)
    expect([answers.map(({ status }) => status), one]).toEqual([[201, 201], two])
    expect(answers.map(({ headers: sent }) => sent['idempotency-replayed'])).toContain('true')
    expect(await send('Another goal')).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } })
    expect((await list()).runs).toHaveLength(1)
    await change(one ?? '', 'stop')
  })

  it('says which setting to change if no repository is named', async () => {
    const { post } = await serveRuns({}, { drive: { repositories: [] } })
    const { status, body } = await post(RUNS, { goal: GOAL })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('drive.repositories') },
    })
  })

  it('accepts limits at their ends, and one run less than too many', async () => {
    const { start, change, post } = await serveRuns({ orient: [{ hangs: true }] }, { drive: { max_runs: 1 } })
    const run = await start({ actions: 1000, rounds: 20, max_tokens: 1, max_time_secs: 31_536_000 })
    expect(run.limits).toEqual({ max_tokens: 1, max_time_secs: 31_536_000 })
    expect(await post(RUNS, { goal: GOAL })).toMatchObject({ status: 429, body: { error: 'drive_limit_reached' } })
    await change(run.id, 'stop')
  })

  it.runIf(IS_FULL)('keeps the limit of runs when a run that waits is to continue', async () => {
    const hangs = { hangs: true }
    const { start, reaches, change } = await serveRuns({ orient: [QUESTION, hangs] }, { drive: { max_runs: 1 } })
    const { id } = await start()
    await reaches(id, 'waiting')
    const other = await start()
    for (const [word, body] of [['answer', { text: 'Knots.' }], ['skip']] as const) {
      expect(await change(id, word, body)).toMatchObject({ status: 429, body: { error: 'drive_limit_reached' } })
    }
    expect(await reaches(id, 'waiting')).toMatchObject({ choices: ['answer', 'skip', 'stop'] })
    await change(other.id, 'stop')
    expect(await change(id, 'answer', { text: 'Knots.' })).toMatchObject({ status: 200 })
    await change(id, 'stop')
  })
})

describe('a run that waits', () => {
  it('shows its question, and continues after an answer', async () => {
    const { start, reaches, change, driving } = await serveRuns({ orient: [QUESTION, {}] })
    const { id } = await start()
    const waiting = await reaches(id, 'waiting')
    expect(waiting.waits_for).toMatchObject({
      reason: 'decision_required',
      question: 'Knots or km/h?',
      choices: ['answer', 'skip', 'stop'],
    })
    expect(await change(id, 'resume')).toMatchObject({ status: 409, body: { error: 'driven_run_waits' } })
    const stale = { text: 'Knots.', action_id: 'another' }
    const refused = await change(id, 'answer', stale)
    expect(refused).toMatchObject({ status: 409, body: { error: 'stale_action' } })
    expect(refused.body).toHaveProperty('details', { action_id: 'another' })
    expect(await change(id, 'answer', { text: 'Knots.' })).toMatchObject({ status: 200, body: { state: 'running' } })
    expect(await reaches(id, 'ended')).toMatchObject({ delivered: { as: 'branch' } })
    expect(await change(id, 'answer', { text: 'No.' })).toMatchObject({ status: 409 })
    expect(driving.calls().map(({ kind }) => kind)).toEqual(['orient', 'orient', 'implement', 'summarize'])
  })

  it('permits what is destroyed only with the digest of the request', async () => {
    const requestId = '1d2c3b4a-5e6f-4a7b-8c9d-0e1f2a3b4c5d'
    const targets = [{ kind: 'path', value: 'sun.js' }]
    const lost = { request_id: requestId, targets, impact: 'The file is lost.' }
    const request = { ...lost, scope_sha256: digestScope(lost) }
    const destroys = {
      reason: 'destructive_confirmation_required',
      question: 'Delete it?',
      destructive_request: request,
    }
    const asks = { outcome: { ...asking(destroys).outcome, implementation: null } }
    const { start, reaches, change } = await serveRuns({ implement: [asks, HONEST] })
    const { id } = await start()
    const waiting = await reaches(id, 'waiting')
    const scope = waiting.waits_for?.destructive_request?.scope_sha256 ?? ''
    expect(scope).toMatch(/^sha256:/)
    const other = { scope_sha256: `sha256:${'0'.repeat(64)}` }
    expect(await change(id, 'confirm', other)).toMatchObject({
      status: 409,
      body: { error: 'destructive_scope_mismatch' },
    })
    expect(await change(id, 'confirm', { scope_sha256: scope })).toMatchObject({
      status: 200,
      body: { state: 'running' },
    })
    await change(id, 'stop')
  })
})

describe('a run that is driven', () => {
  it.runIf(IS_FULL)('is stopped at once, with its agent, and can be resumed', async () => {
    const { start, reaches, change, show, driving, server } = await serveRuns({ orient: [{ hangs: true }, {}] })
    const { id, actions } = await start()
    await until(() => driving.calls().length > 0)
    expect(await change(id, 'resume')).toMatchObject({ status: 409 })
    expect(await change(id, 'stop')).toMatchObject({
      status: 200,
      body: { state: 'stopped', choices: ['resume', 'discard'] },
    })
    expect(dataOf(driving.records(id), 'attempt_ended')).toMatchObject([{ how: 'cancelled' }])
    expect(server.context.drover.records.running()).toEqual([])
    expect(server.context.drover.runs.count).toBe(0)
    await change(id, 'resume')
    const left = (await show(id)).actions
    expect(left.taken + left.remaining).toBe(actions.taken + actions.remaining)
    expect(await reaches(id, 'ended')).toMatchObject({ delivered: { as: 'branch' } })
    expect(await change(id, 'stop')).toMatchObject({ status: 409, body: { error: 'driven_run_over' } })
  })

  it.runIf(IS_FULL)('skips an action whose agent hangs', async () => {
    const { start, reaches, change, driving } = await serveRuns({ orient: [{ hangs: true }] })
    const { id } = await start()
    await until(() => driving.calls().length > 0)
    expect(await change(id, 'skip')).toMatchObject({ status: 200 })
    await reaches(id, 'ended')
    expect(dataOf(driving.records(id), 'attempt_ended')[0]).toMatchObject({ how: 'cancelled' })
  })

  it.runIf(IS_FULL).each([
    ['the limits of the request', { actions: 7 }, 7],
    ['the settings', undefined, 5],
  ])('that has used up its actions continues with as many as %s say', async (_, body, more) => {
    const { start, reaches, change, show } = await serveRuns(
      { orient: [{}, { hangs: true }] },
      { drive: { actions: 5 } },
    )
    const { id } = await start({ actions: 1 })
    expect(await reaches(id, 'waiting')).toMatchObject({ waits_for: { reason: 'budget_exhausted' } })
    expect(await change(id, 'resume', body)).toMatchObject({ status: 200 })
    await until(async () => (await show(id)).attempts?.length === 2)
    const { taken, remaining } = (await show(id)).actions
    expect(taken + remaining).toBe(1 + more)
    await change(id, 'stop')
  })

  it('is continued as soon as the next round has begun, which is shown and stopped by its own id', async () => {
    const { start, reaches, change, show } = await serveRuns({ implement: [HONEST, { hangs: true }] })
    const { id } = await start()
    await reaches(id, 'ended')
    expect(await change(id, 'follow-up', { also: ['Mention it in the README'] })).toMatchObject({ status: 200 })
    const { next_run_id: next = '', verdict } = await reaches(id, 'continued')
    expect(verdict).toMatchObject({ word: 'continued' })
    await until(async () => (await show(next)).action?.kind === 'implement')
    expect(await show(next)).toMatchObject({ state: 'running', choices: ['skip', 'stop'] })
    expect(await show(id)).toMatchObject({ state: 'continued', driven_by: 'this_server', choices: [] })
    expect(await change(id, 'stop')).toMatchObject({
      ...{ status: 409, body: { error: 'driven_run_over', message: expect.stringContaining(next) } },
    })
    expect(await change(next, 'stop')).toMatchObject({ status: 200 })
  })

  it('is not changed by an agent that is nested too deeply', async () => {
    const { server, start, reaches } = await serveRuns({ orient: [QUESTION] })
    const { id } = await start()
    await reaches(id, 'waiting')
    const send = (path: string, options?: object) => server.request(path, options)
    const nested = runClient(send, { 'x-drover-depth': '99' })
    for (const word of ['skip', 'stop', 'resume']) {
      expect(await nested.change(id, word)).toMatchObject({ status: 403, body: { error: 'nesting_too_deep' } })
    }
  })

  it.runIf(IS_FULL)('pauses at a limit, and continues with a higher one', async () => {
    const { start, reaches, change } = await serveRuns({ implement: [{ hangs: true }] })
    const { id } = await start({ max_tokens: 1 })
    expect(await reaches(id, 'paused')).toMatchObject({
      pause: { reason: 'max_tokens' },
      choices: ['resume', 'skip', 'stop', 'discard'],
    })
    const limits = { max_tokens: 1_000_000 }
    expect(await change(id, 'resume', limits)).toMatchObject({ status: 200, body: { state: 'running', limits } })
    await change(id, 'stop')
  })
})

describe('the events of a run', () => {
  it('come again from any number, and live, without a gap', async () => {
    const { start, change, events, server, reaches } = await serveRuns({ orient: [QUESTION, {}] })
    const { id } = await start()
    const path = `${RUNS}/${id}/events`
    const accept = { accept: 'text/event-stream' }
    const stream = await openStream({ port: server.port, path, method: 'GET', headers: accept })
    expect(stream.headers['content-type']).toMatch('text/event-stream')
    const seen: number[] = []
    let line = await stream.nextLine()
    while (line !== undefined && line !== 'event: outcome_submitted') {
      if (line.startsWith('id: ')) seen.push(Number(line.slice(4)))
      line = await stream.nextLine()
    }
    expect(line).toBeDefined()
    // The connection is cut in the middle, and the browser connects again.
    stream.hangUp()
    const headers = { ...accept, 'last-event-id': String(seen.at(-1)) }
    const again = await openStream({ port: server.port, path, method: 'GET', headers })
    await reaches(id, 'waiting')
    await change(id, 'answer', { text: 'Knots.' })
    const rest = await again.rest()
    seen.push(...rest.filter((line) => line.startsWith('id: ')).map((line) => Number(line.slice(4))))
    const all = await events(id)
    const numbered = all.filter(({ seq }) => seq !== undefined)
    expect(seen).toEqual(numbered.map(({ seq }) => seq))
    expect(numbered.at(-1)).toMatchObject({ type: 'delivered', seq: numbered.length })
    expect(all.at(-1)).toMatchObject({ type: 'state', data: { state: 'ended' } })
    expect((await events(id, `?after=${numbered.length - 1}`)).map(({ type }) => type)).toEqual(['delivered', 'state'])
    const last = { ...accept, 'last-event-id': String(numbered.length) }
    expect(await server.request(path, { headers: last })).toMatchObject({ status: 204 })
  })
})

describe('who may see and change a run', () => {
  const KEYS = { DROVER_API_KEYS: 'first-key-of-the-test,second-key-of-the-test' }
  const as = (key: string) => ({ 'x-api-key': `${key}-key-of-the-test` })

  it('is visible to the key that started it, and not without a key', async () => {
    const { server, driving } = await serveRuns({ orient: [QUESTION, {}] }, { env: KEYS })
    const send = (path: string, options?: object) => server.request(path, options)
    const [owner, other] = [runClient(send, as('first')), runClient(send, as('second'))]
    const { id } = await owner.start()
    await owner.reaches(id, 'waiting')
    for (const [path, method] of [
      ['', 'GET'],
      ['/events', 'GET'],
      ['/answer', 'POST'],
      ['/stop', 'POST'],
    ] as const) {
      const body = path === '/answer' ? { text: 'Knots.' } : undefined
      const target = `${RUNS}/${id}${path}`
      expect(await server.request(target, { method, headers: as('second'), body })).toMatchObject({
        status: 404,
        body: { error: 'driven_run_not_found' },
      })
      expect(await server.request(target, { method, body })).toMatchObject({ status: 401 })
    }
    expect((await other.list()).runs).toEqual([])
    expect((await owner.list()).runs).toMatchObject([{ id, state: 'waiting' }])
    const reportTo = async (name: string) => (await server.request('/api/v1/report', { headers: as(name) })).body
    expect(await reportTo('second')).toMatchObject({ repositories: [] })
    expect(await reportTo('first')).toMatchObject({
      repositories: [{ report: { runs: [{ run_id: id, section: 'Waits for you' }] } }],
    })
    const [attempt] = (await owner.show(id)).attempts ?? []
    expect(
      await server.request(`/api/v1/executions/${attempt?.execution_id}`, { headers: as('second') }),
    ).toMatchObject({
      status: 404,
    })
    expect(driving.calls()).toHaveLength(1)
  })

  it('is not changed by another key with a ceiling, which sees it and changes its own', async () => {
    const digestOf = (name: string) => digest(`${name}-key-of-the-test`).replace('sha256:', '')
    const keys = [
      { name: 'first', sha256: digestOf('first') },
      { name: 'desk', sha256: digestOf('desk'), role: 'operator', max_approval_mode: 'auto' },
    ]
    const { server, driving, repository } = await serveRuns({ orient: [QUESTION] }, { server: { keys } })
    const send = (path: string, options?: object) => server.request(path, options)
    const [owner, desk] = [runClient(send, as('first')), runClient(send, as('desk'))]
    const [{ id }, own] = [await owner.start(), await desk.start()]
    await owner.reaches(id, 'waiting')
    await desk.reaches(own.id, 'waiting')
    const changes: [string, object?][] = [
      ['answer', { text: 'Knots.' }],
      ['confirm', { scope_sha256: digest('x') }],
      ['skip'],
      ['resume'],
    ]
    for (const [word, body] of changes) {
      const refused = await desk.change(id, word, body)
      expect([word, refused.status, (refused.body as { error: string }).error]).toEqual([word, 400, 'drive_of_another'])
    }
    const others = [
      { requires_sandbox: true },
      { agent_tools: 'none' },
      { mcp_servers: ['docs'] },
      { directories: [repository] },
    ]
    for (const limit of others) {
      await server.changeKeys([{ ...keys[0] }, { name: 'desk', sha256: digestOf('desk'), role: 'operator', ...limit }])
      const refused = await desk.change(id, 'answer', { text: 'Knots.' })
      const error = { error: 'drive_of_another', message: expect.stringContaining(Object.keys(limit)[0] ?? '') }
      expect([limit, refused.status, refused.body]).toMatchObject([limit, 400, error])
    }
    expect(await desk.show(id)).toMatchObject({ id, state: 'waiting' })
    expect(driving.calls()).toHaveLength(2)
    for (const each of [own.id, id]) expect((await desk.change(each, 'stop')).status).toBe(200)
    expect((await desk.change(id, 'merge')).body).not.toMatchObject({ error: 'drive_of_another' })
    expect((await desk.change(id, 'discard')).status).toBe(200)
  })

  it('is not changed by a key when its repository is no longer named', async () => {
    const link = join(temporaryDirectory(), 'link')
    const drive = { repositories: [link] }
    const { server, repository } = await serveRuns({ orient: [QUESTION] }, { env: KEYS, drive })
    symlinkSync(repository, link)
    const client = runClient((path, options?: object) => server.request(path, options), as('first'))
    const { id } = await client.start()
    await client.reaches(id, 'waiting')
    rmSync(link)
    symlinkSync(temporaryDirectory(), link)
    for (const word of ['skip', 'stop', 'resume']) {
      expect(await client.change(id, word)).toMatchObject({
        status: 400,
        body: { error: 'drive_repository_not_named' },
      })
    }
  })

  it('is not visible to a later key of the same name, which cannot let it continue', async () => {
    const keyOf = (secret: string) => ({ name: 'ada', sha256: digest(`${secret}-key-of-the-test`) })
    const { server } = await serveRuns({ orient: [QUESTION, {}] }, { server: { keys: [keyOf('first')] } })
    const send = (path: string, options?: object) => server.request(path, options)
    const [owner, later] = [runClient(send, as('first')), runClient(send, as('second'))]
    const { id } = await owner.start()
    await owner.reaches(id, 'waiting')
    await server.changeKeys([keyOf('second')])
    expect((await later.list()).runs).toEqual([])
    expect((await later.list(`?before=${id}`)).runs).toEqual([])
    expect(await later.change(id, 'answer', { text: 'Knots.' })).toMatchObject({ status: 404 })
    await server.changeKeys([{ ...keyOf('second'), role: 'operator' }])
    expect((await later.list()).runs).toMatchObject([{ id, api_key: 'ada', state: 'waiting' }])
    // It has the rights of its key, which is not valid any more.
    expect(await later.change(id, 'answer', { text: 'Knots.' })).toMatchObject({
      body: { error: 'drive_not_permitted' },
    })
  })

  it.each([
    [{ max_sandbox_mode: 'read-only' }, {}, 'sandbox_mode_above_ceiling'],
    [{ max_approval_mode: 'auto' }, { approval_mode: 'none' }, 'approval_mode_above_ceiling'],
    [{ max_sandbox_mode: 'workspace' }, { approval_mode: 'none' }, 'sandbox_mode_above_ceiling'],
  ])('has the ceilings of the server: %j refuses %j', async (server, body, error) => {
    const { post, driving } = await serveRuns({}, { server })
    const refused = await post(RUNS, { goal: GOAL, ...body })
    expect(refused).toMatchObject({ status: 400, body: { error } })
    expect(refused.text).not.toContain('$.sandbox_mode')
    expect(driving.calls()).toEqual([])
  })

  it('lowers a mode of the settings to the ceiling', async () => {
    const { start, change } = await serveRuns(
      { orient: [{ hangs: true }] },
      { server: { max_sandbox_mode: 'workspace' }, drive: { approval_mode: 'none' } },
    )
    const { id, approval_mode: mode } = await start()
    expect(mode).toBe('auto')
    await change(id, 'stop')
  })

  it('finds no run that does not exist', async () => {
    const { server } = await serveRuns()
    for (const id of ['0000', '6f1c2c6e-4b0a-4f2e-9d53-7a9c0a1be34d', '..%2F..']) {
      expect(await server.request(`${RUNS}/${id}`)).toMatchObject({
        status: 404,
        body: { error: 'driven_run_not_found' },
      })
    }
  })
})

describe('GET /api/v1/runs', () => {
  it.runIf(IS_FULL)('lists pages, newest first', async () => {
    const { start, reaches, list, repository } = await serveRuns({ orient: [QUESTION] })
    const [one, two] = [await start(), await start()]
    for (const { id } of [one, two]) await reaches(id, 'waiting')
    expect(await list()).toMatchObject({ runs: [{ id: two.id }, { id: one.id }], repositories: [repository] })
    const first = await list('?limit=1')
    expect(first).toMatchObject({ runs: [{ id: two.id }], next: two.id })
    const second = await list(`?limit=1&before=${first.next}`)
    expect(second.runs).toMatchObject([{ id: one.id }])
    expect(second.next).toBeUndefined()
    expect((await list('?before=unknown')).runs).toEqual([])
    expect((await list('?state=ended')).runs).toEqual([])
  })

  it.runIf(IS_FULL)(
    'finds runs by state, repository, agent, and a part of goal or id, and compresses long answers',
    async () => {
      const { start, reaches, list, change, repository, server } = await serveRuns({ orient: [QUESTION] })
      const [one, two] = [
        await start(),
        await start({ goal: `Rain in MM, 100%${'!'.repeat(70_000)}`, backend: 'codex' }),
      ]
      for (const { id } of [one, two]) await reaches(id, 'waiting')
      await change(one.id, 'stop')
      const found = async (query: string) => (await list(`?${query}`)).runs.map(({ id }) => id)
      const rows: [query: string, found: string[]][] = [
        ['state=stopped', [one.id]],
        ['state=stopped,waiting', [two.id, one.id]],
        ['state=running,ended', []],
        [`repository=${repository}`, [two.id, one.id]],
        ['repository=/elsewhere', []],
        ['backend=codex', [two.id]],
        ['label=night', []],
        ['key=ci', []],
        ['search=KNOTS', [one.id]],
        ['search=mm,%20100%25', [two.id]],
        ['search=100_', []],
        [`search=${one.id.slice(0, 8)}`, [one.id]],
        ['search=knots&backend=codex', []],
      ]
      for (const [query, ids] of rows) expect(await found(query), query).toEqual(ids)
      for (const wrong of ['state=asleep', 'state=ended,', 'search=', `search=${'x'.repeat(201)}`, 'q=x']) {
        const { status, text } = await server.request(`${RUNS}?${wrong}`)
        const listsStates = text.includes('running, waiting_for_limit, waiting')
        expect([wrong, status]).toEqual([wrong, wrong === 'search=' ? 200 : 400])
        expect([wrong, listsStates]).toEqual([wrong, wrong.startsWith('state=')])
      }
      for (const [path, coding, isCompressed] of [
        [RUNS, 'gzip', true],
        [`${RUNS}/${one.id}`, 'gzip', true],
        [RUNS, 'gzip;q=0', false],
        ['/api/v1/approvals', 'gzip', false],
      ] as const) {
        const plain = await server.request(path)
        const answer = await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': coding } })
        const { headers } = answer
        expect([plain.headers['content-encoding'], headers.get('vary')]).toEqual([undefined, 'Origin, Accept-Encoding'])
        expect([path, headers.get('content-encoding')]).toEqual([path, isCompressed ? 'gzip' : null])
        expect(await answer.json()).toEqual(plain.body)
      }
    },
  )
})

describe('GET /api/v1/events', () => {
  it('has a run after each change, also by another process, for the keys that see it', async () => {
    const keys = { DROVER_API_KEYS: 'first-key-of-the-test,second-key-of-the-test' }
    const { server, driving } = await serveRuns({ orient: [QUESTION, {}, QUESTION] }, { env: keys })
    const as = (name: string) => ({ 'x-api-key': `${name}-key-of-the-test` })
    const watch = (name: string) =>
      openStream({ port: server.port, path: '/api/v1/events', method: 'GET', headers: as(name) })
    const [own, others] = [await watch('first'), await watch('second')]
    const { start, change, show } = runClient((path, options) => server.request(path, options), as('first'))
    const { id } = await start()
    const seen: string[] = []
    const reaches = async (state: string) => {
      for (let last = ''; last !== state; ) {
        const line = JSON.parse((await own.nextLine()) ?? '{"type":"end"}')
        expect(line.type).not.toBe('end')
        if (line.type !== 'run') continue
        expect(line.run.id).toBe(id)
        expect(line.run.attempts).toBeUndefined()
        last = line.run.state
        if (seen.at(-1) !== last) seen.push(last)
      }
    }
    await reaches('waiting')
    await change(id, 'answer', { text: 'Knots.' })
    await reaches('ended')
    expect(await driving.call(['merge', id])).toMatchObject({ code: 0 })
    await reaches('merged')
    // The command that merges holds the run meanwhile.
    expect(seen.join(' ')).toMatch(/^running waiting running ended (running )?merged$/)
    expect(await show(id)).toMatchObject({ state: 'merged' })
    // The first thing that the other key sees is its own.
    const { id: other } = await runClient((path, options) => server.request(path, options), as('second')).start()
    for (let line = ''; !line.includes(other); line = (await others.nextLine()) ?? other) expect(line).not.toContain(id)
  })
})
