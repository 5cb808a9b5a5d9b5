import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/kit/clock.ts'
import { digest } from '../../src/kit/digest.ts'
import { randomIds } from '../../src/kit/ids.ts'
import type { ComparisonResult } from '../../src/prompts/prompt-result.shape.ts'
import { discoverWorkspace } from '../../src/workspace/discover-workspace.ts'
import { locateGit } from '../../src/workspace/git.ts'
import { createWorktree } from '../../src/workspace/worktrees/create-worktree.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { connectClient } from '../support/mcp-client.ts'
import { findUndescribed } from '../support/openapi-document.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { until } from '../support/until.ts'

const COMPARE = '/api/v1/compare'
const CHECK = "sh -c 'grep -q knots drover-demo.md'"
const KEYS = ['writer', 'other', 'reader'].map((name, at) => ({
  id: `key_${String(at).repeat(24)}`,
  name,
  sha256: digest(`secret-of-${name}`),
  ...(name === 'reader' && { max_sandbox_mode: 'read-only' }),
}))

/** A server whose clients may change one repository, with the demo agent in place of all agents. */
async function serveComparisons(options: ServerOptions & { drive?: object } = {}) {
  const repository = createRepository()
  repository.write('a', 'one\n')
  repository.commit()
  const { drive, ...rest } = options
  const server = await startServer({
    agents: 'demo',
    // The demo agent needs no program, but git is one.
    envIn: (workdir) => ({ PATH: `${join(workdir, '..', 'bin')}:/usr/bin:/bin` }),
    ...rest,
    config: { drive: { repositories: [repository.root], checks: [CHECK], sandbox: 'off', ...drive } },
  })
  const post = (path: string, body: object, key?: string, headers: Record<string, string> = {}) =>
    server.request(path, {
      method: 'POST',
      headers: { ...(key !== undefined && { authorization: `Bearer secret-of-${key}` }), ...headers },
      body,
    })
  const worktrees = () => {
    const directory = join(server.home, 'worktrees')
    return existsSync(directory) ? readdirSync(directory) : []
  }
  const branches = () => repository.git('branch', '--list', 'drover/*', '--format=%(refname:short)').trim()
  const request = { prompt: 'Show the wind in knots', backends: ['claude', 'codex'], worktrees: true }
  return { server, repository, post, worktrees, branches, request: { ...request, workdir: repository.root } }
}

describe('a comparison in worktrees', () => {
  it('lets each agent change files, runs the checks, and keeps the work of one', async () => {
    const { server, post, repository, worktrees, branches, request } = await serveComparisons({
      server: { keys: KEYS },
    })
    repository.write('a', 'mine\n')
    const answer = await post(COMPARE, { ...request, checks: [CHECK] }, 'writer')
    expect(answer.status).toBe(200)
    expect(findUndescribed('POST', COMPARE, answer)).toEqual([])
    const { results, warnings } = answer.body as ComparisonResult
    expect(warnings).toEqual(['1 changed file is not committed, so the agents do not see the change'])
    for (const [at, name] of ['claude', 'codex'].entries()) {
      expect(results[at]?.worktree).toMatchObject({
        name,
        base: repository.git('rev-parse', 'HEAD').trim(),
        files: 1,
        changes: [{ path: 'drover-demo.md' }],
        checks: [{ command: CHECK, passed: true, exit_code: 0 }],
      })
      expect(readFileSync(join(results[at]?.worktree?.path ?? '', 'a'), 'utf8')).toBe('one\n')
    }
    const kept = await post(`${COMPARE}/keep`, { workdir: repository.root, name: 'codex' }, 'writer')
    expect(findUndescribed('POST', `${COMPARE}/keep`, kept)).toEqual([])
    expect(kept.body).toMatchObject({
      kept: { name: 'codex', branch: branches() },
      dropped: [{ name: 'claude', commit: expect.any(String) }],
      left: [],
    })
    expect(repository.git('show', `${branches()}:drover-demo.md`)).toContain('knots')
    expect(worktrees()).toEqual([])
    const list = (key: string, query = '') =>
      server.request(`${COMPARE}${query}`, { headers: { authorization: `Bearer secret-of-${key}` } })
    const listed = await list('writer')
    expect(findUndescribed('GET', COMPARE, listed)).toEqual([])
    const ended = { state: 'completed', checks: { passed: 1, failed: 0 } }
    expect(listed.body).toMatchObject({
      comparisons: [
        {
          winner: 'codex',
          contenders: [
            { ...ended, work: 'dropped' },
            { ...ended, work: 'kept' },
          ],
        },
      ],
      ...{ limit: 20, offset: 0, has_more: false },
    })
    expect((await list('other')).body).toMatchObject({ comparisons: [] })
    const statuses = ['?limit=100&offset=10000', '?limit=101', '?offset=10001'].map(
      async (query) => (await list('writer', query)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 400, 400])
  })

  it.runIf(IS_FULL)(
    'is found again as an object, with the changes of each agent, and has a winner afterwards',
    async () => {
      const { server, post, repository, request } = await serveComparisons({ server: { keys: KEYS } })
      const get = (path: string, key = 'writer') =>
        server.request(path, { headers: { authorization: `Bearer secret-of-${key}` } })
      const { execution_id: first } = (await post(COMPARE, request, 'writer')).body as ComparisonResult
      await post(COMPARE, request, 'writer')
      const own = `${COMPARE}/${first}`
      const listed = (await get('/api/v1/executions?kind=compare')).body as { executions: { id: string }[] }
      expect(listed.executions.map(({ id }) => id)).toEqual([expect.any(String), first])
      const shown = await get(own)
      expect(findUndescribed('GET', `${COMPARE}/{id}`, shown)).toEqual([])
      const checks = [{ command: CHECK, passed: true }]
      const open = (name: string) => ({ name, work: 'open', worktree: { files: 1, checks } })
      expect(shown.body).toMatchObject({ id: first, state: 'completed', contenders: [open('claude'), open('codex')] })
      expect(shown.body).not.toHaveProperty('winner')
      const diffOf = (name: string, key?: string) => get(`${own}/diff?name=${name}`, key)
      const before = await diffOf('codex')
      expect(findUndescribed('GET', `${COMPARE}/{id}/diff`, before)).toEqual([])
      expect(before.body).toMatchObject({ name: 'codex', files: [{ path: 'drover-demo.md' }], is_cut: false })
      for (const path of [own, `${own}/diff?name=codex`]) expect((await get(path, 'other')).status).toBe(404)
      expect((await diffOf('n'.repeat(64))).body).toMatchObject({ error: 'compared_work_gone' })
      expect((await diffOf('n'.repeat(65))).status).toBe(400)
      const keep = (key: string) => post(`${COMPARE}/keep`, { comparison: first, name: 'codex' }, key)
      expect((await keep('other')).body).toMatchObject({ error: 'comparison_unknown' })
      const done = (await keep('writer')).body as { kept: { branch: string } }
      expect(done).toMatchObject({ kept: { name: 'codex' }, dropped: [{ name: 'claude' }] })
      expect((await keep('writer')).body).toMatchObject({ error: 'comparison_over' })
      // The commit stays known when its branch is deleted.
      repository.git('branch', '-D', done.kept.branch)
      expect((await get(own)).body).toMatchObject({
        winner: 'codex',
        contenders: [{ work: 'dropped' }, { work: 'kept' }],
      })
      expect((await diffOf('codex')).body).toEqual(before.body)
      expect((await diffOf('claude')).body).toMatchObject({ error: 'compared_work_gone' })
      // The other comparison is as it was.
      const [second] = listed.executions
      expect((await get(`${COMPARE}/${second?.id}`)).body).toMatchObject({
        contenders: [{ work: 'open' }, { work: 'open' }],
      })
      await post(`${COMPARE}/keep`, { comparison: second?.id }, 'writer')
    },
  )

  it('stores a session for each answer if it is asked to', async () => {
    const server = await startServer({ agents: 'demo' })
    const body = { prompt: 'tabs or spaces?', backends: ['claude', 'codex'], sessions: true, workdir: server.workdir }
    const { body: result } = await server.request(COMPARE, { method: 'POST', body })
    const { results, execution_id: id } = result as ComparisonResult
    const { body: shown } = await server.request(`${COMPARE}/${id}`)
    expect(shown).toMatchObject({
      contenders: results.map(({ session_id }) => ({
        session_id: expect.stringMatching(/./) && session_id,
        work: 'none',
      })),
    })
    expect(results.every(({ session_id: session }) => session !== '')).toBe(true)
  })

  it.runIf(IS_FULL)('keeps one in the same call', async () => {
    const { post, branches, worktrees, request } = await serveComparisons()
    const { body } = await post(COMPARE, { ...request, keep: 'claude' })
    expect(body).toMatchObject({ kept: { name: 'claude', branch: branches() }, dropped: [{ name: 'codex' }], left: [] })
    expect(worktrees()).toEqual([])
  })

  it('is one of at most drive.max_runs that clients have, and is dropped if it is cancelled', async () => {
    const script = JSON.stringify({ text: ['Hello'], hangAfter: 'init' })
    const { server, post, worktrees, branches, request } = await serveComparisons({
      agents: 'fake',
      drive: { max_runs: 1 },
      env: { FAKE_AGENT_SCRIPT: script },
    })
    const { status, body } = await post(COMPARE, request, undefined, { prefer: 'respond-async' })
    expect(status).toBe(202)
    const { execution_id: id } = body as { execution_id: string }
    await until(() => worktrees().length === 2)
    const executions = `/api/v1/executions/${id}`
    // The comparison and both of its agents.
    await until(async () => {
      const { body } = await server.request('/api/v1/executions')
      const all = (body as { executions: { state: string }[] }).executions
      return all.filter(({ state }) => state === 'running').length === 3
    })
    expect(await post(COMPARE, request)).toMatchObject({ status: 429, body: { error: 'drive_limit_reached' } })
    for (const name of [{}, { name: 'codex' }]) {
      const refused = await post(`${COMPARE}/keep`, { ...name, workdir: request.workdir })
      expect(refused).toMatchObject({ status: 409, body: { error: 'comparison_running', details: { id } } })
      expect(worktrees()).toHaveLength(2)
    }
    expect((await post(`${executions}/cancel`, {})).status).toBe(202)
    await until(() => worktrees().length === 0)
    expect(branches()).toBe('')
  })

  it('is refused for a key that may only read, also as a dry run', async () => {
    const { post, worktrees, branches, request } = await serveComparisons({ server: { keys: KEYS } })
    for (const more of [{}, { dry_run: true }]) {
      const { status, body } = await post(COMPARE, { ...request, ...more }, 'reader')
      expect([status, body]).toMatchObject([400, { error: 'sandbox_mode_above_ceiling' }])
    }
    expect([worktrees(), branches()]).toEqual([[], ''])
  })

  it('is refused in a repository that is not named, and with a check that is not', async () => {
    const drive = { require_checks: true }
    const { post, repository, worktrees, request } = await serveComparisons({ server: { keys: KEYS }, drive })
    const other = createRepository()
    other.write('a', 'one\n')
    other.commit()
    const link = join(temporaryDirectory(), 'link')
    symlinkSync(other.root, link)
    const wrong = [
      [{ workdir: other.root }, 'drive_repository_not_named'],
      [{ workdir: link }, 'drive_repository_not_named'],
      [{ workdir: join(repository.root, '..') }, 'drive_repository_not_named'],
      [{ workdir: `${repository.root}/../nowhere` }, 'drive_repository_not_named'],
      [{ workdir: other.root, dry_run: true }, 'drive_repository_not_named'],
      [{ checks: ['touch ran'] }, 'drive_check_not_allowed'],
      [{ checks: [`${CHECK} `] }, 'drive_check_not_allowed'],
      [{ keep: 'gemini' }, 'comparison_invalid'],
      [{ additional_directories: [repository.root] }, 'compared_directory_shared'],
      [{ additional_directories: [join(repository.root, 'nowhere')] }, 'workdir_not_allowed'],
      [{ additional_directories: ['/etc'] }, 'workdir_not_allowed'],
      [{ worktrees: false, checks: [CHECK] }, 'comparison_invalid'],
      [{ worktrees: false, keep: 'claude' }, 'comparison_invalid'],
    ] as const
    for (const [more, error] of wrong) {
      const { status, body } = await post(COMPARE, { ...request, ...more }, 'writer')
      expect([status, body]).toMatchObject([400, { error }])
    }
    const untested = await post(COMPARE, { ...request, checks: [] }, 'writer')
    expect([untested.status, untested.body]).toMatchObject([403, { error: 'drive_checks_required' }])
    const { body } = await post(`${COMPARE}/keep`, { workdir: other.root }, 'writer')
    expect(body).toMatchObject({ error: 'drive_repository_not_named' })
    expect(worktrees()).toEqual([])
    expect(other.git('branch', '--list', 'drover/*')).toBe('')
  })

  it('is refused before anything is recorded if the prompt is blank, or an agent or the program of a check does not exist', async () => {
    const { server, post, worktrees, request } = await serveComparisons({ drive: { checks: [CHECK, 'nmp test'] } })
    const wrong = [
      [{ prompt: ' \n' }, 'prompt_empty'],
      [{ prompt: ' \n', worktrees: false }, 'prompt_empty'],
      [{ backends: ['claude', 'clade'] }, 'backend_not_found'],
      [{ checks: ['nmp test'] }, 'drive_program_missing'],
      [{ checks: ['nmp test'], dry_run: true }, 'drive_program_missing'],
    ] as const
    for (const [more, error] of wrong) {
      for (const headers of [{}, { prefer: 'respond-async' }]) {
        const { status, body } = await post(COMPARE, { checks: [CHECK], ...request, ...more }, undefined, headers)
        expect([status < 500, body]).toMatchObject([true, { error }])
      }
    }
    expect((await server.request('/api/v1/executions')).body).toMatchObject({ executions: [] })
    expect(worktrees()).toEqual([])
  })

  it('records a dry run as one, which is not listed', async () => {
    const { server, post, request } = await serveComparisons()
    const { body } = await post(COMPARE, { ...request, dry_run: true })
    expect(body).toMatchObject({
      warnings: [expect.stringContaining('its own worktree'), `checks in each worktree: ${CHECK}`],
    })
    expect((await server.request(COMPARE)).body).toMatchObject({ comparisons: [] })
  })

  it.runIf(IS_FULL)('says why an agent failed, and checks nothing of it', async () => {
    const script = JSON.stringify({ exit: { code: 3 }, stderr: 'no credits' })
    const { server, post, request } = await serveComparisons({ agents: 'fake', env: { FAKE_AGENT_SCRIPT: script } })
    const { results, execution_id: id } = (await post(COMPARE, request)).body as ComparisonResult
    expect(results.map(({ worktree }) => worktree?.checks)).toEqual([[], []])
    const shown = await server.request(`${COMPARE}/${id}`)
    expect(findUndescribed('GET', `${COMPARE}/{id}`, shown)).toEqual([])
    const failed = { state: 'failed', error: expect.stringMatching(/./), work: 'none' }
    expect(shown.body).toMatchObject({ contenders: [failed, failed] })
  })

  it('of a command is kept and dropped by the user without keys, in any repository, and by no client', async () => {
    for (const keys of [undefined, KEYS]) {
      const { server, post, worktrees, branches, repository } = await serveComparisons({
        ...(keys && { server: { keys } }),
        drive: { repositories: [] },
      })
      const git = locateGit({ env: { PATH: '/usr/local/bin:/usr/bin:/bin' }, cwd: '/' })
      const { signal } = new AbortController()
      const place = { git, signal, home: join(server.home, 'worktrees'), clock: systemClock, ids: randomIds }
      const found = await discoverWorkspace({ start: repository.root, git, signal })
      const known = { repository: found, commit: 'HEAD', title: 'Show the wind' }
      const comparison = `exec_${'a'.repeat(24)}`
      const { path } = await createWorktree({ ...place, ...known, group: { id: comparison, label: 'claude' } })
      writeFileSync(join(path, 'new'), 'knots\n')
      const { status, body } = await post(`${COMPARE}/keep`, { comparison, name: 'claude' }, keys && 'writer')
      if (keys === undefined) {
        expect([status, body]).toMatchObject([200, { kept: { name: 'claude', branch: branches() } }])
        expect(repository.git('show', `${branches()}:new`)).toBe('knots\n')
      } else expect([status, body]).toMatchObject([404, { error: 'comparison_unknown' }])
      expect(worktrees()).toHaveLength(keys === undefined ? 0 : 1)
    }
  })

  it('is kept and dropped only with the key that started it', async () => {
    const { post, repository, worktrees, request } = await serveComparisons({ server: { keys: KEYS } })
    expect((await post(COMPARE, request, 'writer')).status).toBe(200)
    const { root: workdir } = repository
    for (const name of ['claude', undefined]) {
      const { status, body } = await post(`${COMPARE}/keep`, { workdir, ...(name && { name }) }, 'other')
      expect([status, body]).toMatchObject([404, { error: 'comparison_not_found' }])
    }
    const reading = await post(`${COMPARE}/keep`, { workdir }, 'reader')
    expect(reading.body).toMatchObject({ error: 'sandbox_mode_above_ceiling' })
    expect(worktrees()).toHaveLength(2)
    const { body } = await post(`${COMPARE}/keep`, { workdir }, 'writer')
    expect(body).toMatchObject({ dropped: [{ name: 'claude' }, { name: 'codex' }], left: [] })
    expect(worktrees()).toEqual([])
  })

  it.runIf(IS_FULL)('is a tool of MCP, with the limits of the key', async () => {
    const { server, worktrees, branches, request } = await serveComparisons({ server: { keys: KEYS } })
    const connect = async (name: string) => {
      const requestInit = { headers: { authorization: `Bearer secret-of-${name}` } }
      return await connectClient(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
    }
    const reader = await connect('reader')
    expect((await reader.call('compare', request)).text).toContain('sandbox_mode_above_ceiling')
    const writer = await connect('writer')
    expect((await writer.call('compare', { ...request, workdir: server.workdir })).text).toContain(
      'drive_repository_not_named',
    )
    expect(worktrees()).toEqual([])
    const compared = await writer.call('compare', { ...request, checks: [CHECK] })
    expect(compared.text).toMatch(/claude: 1 changed files, \+\d+ -0 in \/.*; sh -c .* passed/)
    expect(compared.view.results).toMatchObject([{ worktree: { name: 'claude' } }, { worktree: { name: 'codex' } }])
    const kept = await writer.call('compare_keep', { workdir: request.workdir, name: 'codex' })
    expect(kept).toMatchObject({
      isError: false,
      text: expect.stringContaining(`Kept codex as the branch ${branches()}`),
    })
    expect((await writer.call('compare_keep', { workdir: request.workdir })).text).toContain('comparison_over')
  })
})
