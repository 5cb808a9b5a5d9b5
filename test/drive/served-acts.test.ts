/** What the clients of a server may do with the work of runs, over HTTP, MCP and the service. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { readProjectFile, saveProject } from '../../src/config/projects/projects.ts'
import type { WorkAct } from '../../src/drive/act/act-on-run.ts'
import { digest } from '../../src/kit/digest.ts'
import { type Caller, USER } from '../../src/prompts/caller.ts'
import { connectClient } from '../support/mcp-client.ts'
import { GOAL, RUNS, runClient, serveRuns } from '../support/served-runs.ts'
import { until } from '../support/until.ts'

const secretOf = (name: string) => `key-of-${name}-for-the-test`
const headersOf = (name: string) => ({ 'x-api-key': secretOf(name) })
const keyOf = (name: string, more: object = {}) => ({ name, sha256: digest(secretOf(name)), ...more })
const KEYS = [keyOf('ada'), keyOf('bob'), keyOf('boss', { role: 'operator' }), keyOf('mia', { may_merge: true })]
const ACTS: readonly WorkAct['do'][] = ['merge', 'pull_request', 'take', 'discard', 'undo_discard']

it('a key acts on its own runs, merges and takes only with may_merge, and is named in the record', async () => {
  const { server, driving } = await serveRuns({}, { server: { keys: KEYS }, drive: { baseline: 'skip' } })
  const as = (name: string) => runClient((path, options) => server.request(path, options), headersOf(name))
  const [ada, bob, boss, mia] = [as('ada'), as('bob'), as('boss'), as('mia')]
  const [{ id }, { id: own }] = [await ada.start({ rounds: 0 }), await mia.start({ rounds: 0 })]
  await ada.reaches(id, 'ended')
  await mia.reaches(own, 'ended')
  const refs = () => driving.repository.git('for-each-ref')
  const before = refs()

  const caller: Caller = {
    is: 'client',
    role: 'client',
    key: { id: `key_${digest(secretOf('bob')).slice(7, 31)}`, name: 'bob' },
  }
  for (const act of ACTS) {
    const word = act.replace('_', '-')
    expect(await bob.change(id, word), word).toMatchObject({ status: 404, body: { error: 'driven_run_not_found' } })
    const asked = server.context.drover.runs.act(caller, id, { do: act })
    await expect(asked, act).rejects.toMatchObject({ code: 'driven_run_not_found' })
  }
  for (const client of [ada, boss]) {
    expect((await client.show(id)).choices).toEqual(['follow-up', 'discard'])
    for (const word of ['merge', 'take']) {
      const refused = await client.change(id, word)
      expect(refused, word).toMatchObject({ status: 403, body: { error: 'merge_not_permitted' } })
    }
    expect(await client.change(id, 'pull-request')).toMatchObject({ body: { error: 'drive_delivery_not_allowed' } })
  }
  expect((await mia.list('')).runs).toMatchObject([{ choices: ['follow-up', 'merge', 'take', 'discard'] }])
  expect((await server.context.drover.runs.show(USER, id)).choices).toContain('pull-request')
  expect(refs()).toBe(before)

  const discarded = await ada.change(id, 'discard')
  expect(discarded).toMatchObject({
    status: 200,
    body: { state: 'discarded', verdict: { word: 'discarded' }, choices: ['undo-discard'] },
  })
  const acts = [{ did: 'discarded', by: { via: 'key', name: 'ada' } }]
  expect(discarded.body).toMatchObject({ acts, discarded: { until: expect.any(String) } })
  expect((await ada.list('?state=discarded')).runs).toMatchObject([{ id }])
  expect(await ada.change(id, 'undo-discard')).toMatchObject({ status: 200, body: { state: 'ended' } })
  expect(refs()).toBe(before)

  const open = (name: string) => {
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: headersOf(name) },
    })
    return connectClient(transport)
  }
  const [tools, others] = [await open('mia'), await open('bob')]
  for (const act of ACTS.slice(0, -1)) {
    expect((await others.call(`run_${act}`, { run_id: own })).text, act).toMatch(/^driven_run_not_found: /)
  }
  const merged = await tools.call('run_merge', { run_id: own })
  const { branch } = await mia.show(own)
  expect(merged.view.run).toMatchObject({ state: 'merged', merged: { into: 'main' } })
  expect(driving.repository.git('branch', '--list', branch ?? '')).toBe('')
  expect(driving.repository.git('show', 'main:wind.txt')).toBe('wind: 23 knots\n')
  const events = await mia.events(own)
  expect(events.find(({ type }) => type === 'merged')?.data).toMatchObject({ by: { via: 'key', name: 'mia' } })
  expect((await server.request('/api/v1/me', { headers: headersOf('mia') })).body).toMatchObject({ may_merge: true })
  expect((await server.request('/api/v1/me', { headers: headersOf('boss') })).body).toMatchObject({ may_merge: false })

  // The branch has moved, so the server runs the checks first. The user may.
  const mine = await server.context.drover.runs.act(USER, id, { do: 'merge' })
  expect(mine).toMatchObject({ state: 'merged', acts: [{}, {}, { did: 'merged', by: { via: 'socket' } }] })
})

it('a client runs all checks that are required, and merges nothing that has not passed them', async () => {
  const chief = keyOf('chief', { role: 'operator', may_merge: true })
  const drive = { baseline: 'skip', require_checks: true, deliver: 'pr' }
  const { server, repository, driving } = await serveRuns({}, { server: { keys: [chief] }, drive })
  const client = runClient((path, options) => server.request(path, options), headersOf('chief'))
  const refused = await client.post(RUNS, { goal: GOAL, checks: [] })
  expect(refused).toMatchObject({ status: 403, body: { error: 'drive_checks_required' } })

  // As one that was started before they were required.
  const given = { checks: [], rounds: 0, deliver: 'branch' as const }
  const started = { goal: GOAL, repository, given, isReviewed: false, isIssueGoal: false }
  const { id } = await server.context.drover.runs.start(USER, started)
  await client.reaches(id, 'ended')
  const early = await client.change(id, 'merge')
  expect(early).toMatchObject({ status: 403, body: { error: 'merge_unchecked' } })
  for (const act of ['take', 'pull-request'])
    expect(await client.change(id, act)).toMatchObject({ status: 403, body: { error: 'merge_unchecked' } })
  expect(driving.repository.git('show', 'main:wind.txt')).not.toContain('knots')

  await client.change(id, 'follow-up', { also: ['Show the gusts'] })
  const next = await until(async () => (await client.show(id)).next_run_id)
  expect(await client.show(next)).toMatchObject({ round: 2, checks: ['sh check.sh'] })
})

it('a follow-up and a merge at once: one of them is refused, and the run continues as no run that does not exist', async () => {
  const { server } = await serveRuns({}, { server: { keys: KEYS }, drive: { baseline: 'skip' } })
  const mia = runClient((path, options) => server.request(path, options), headersOf('mia'))
  const { id } = await mia.start({ rounds: 0 })
  await mia.reaches(id, 'ended')
  const more = { also: ['Show the gusts'] }
  const answers = await Promise.all([mia.change(id, 'follow-up', more), mia.change(id, 'merge')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const { next_run_id: next } = await mia.show(id)
  if (next !== undefined) expect(await mia.show(next)).toMatchObject({ id: next })
})

it('required checks of a trusted .drover.yml still count after it was changed or deleted, until the user trusts it again', async () => {
  const chief = keyOf('chief', { role: 'admin', may_merge: true })
  const drive = { baseline: 'skip', checks: [], require_checks: true }
  const { server, repository, driving } = await serveRuns({}, { server: { keys: [chief] }, drive })
  const client = runClient((path, options) => server.request(path, options), headersOf('chief'))
  driving.repository.write('.drover.yml', 'checks: ["sh check.sh"]\n')
  driving.repository.commit()
  const trust = () => {
    const { digest: fileDigest = '', content } = readProjectFile(repository) ?? {}
    const saved = { from: 'file', file_digest: fileDigest, ...content } as const
    saveProject(join(server.home, 'projects'), { repository: join(repository, '.git'), ...saved })
  }
  trust()
  const given = { checks: [], rounds: 0 }
  const started = { goal: GOAL, repository, given, isReviewed: false, isIssueGoal: false }
  const { id } = await server.context.drover.runs.start(USER, started)
  await client.reaches(id, 'ended')

  const compared = { prompt: GOAL, backends: ['claude'], worktrees: true, dry_run: true }
  const listed = async () => (await server.request('/api/v1/repositories', { headers: headersOf('chief') })).body
  const changes = [
    () => driving.repository.write('.drover.yml', 'checks: ["sh check.sh"]\n# changed\n'),
    () => driving.repository.write('.drover.yml', 'checks: [\n'),
    () => driving.repository.write('.drover.yml', 'checks: []\n'),
    () => rmSync(join(repository, '.drover.yml')),
  ]
  for (const change of changes) {
    change()
    const required = { status: 403, body: { error: 'drive_checks_required' } }
    expect(await client.post(RUNS, { goal: GOAL, checks: [] })).toMatchObject(required)
    expect(await client.post('/api/v1/compare', { ...compared, checks: [] })).toMatchObject(required)
    expect((await client.post('/api/v1/compare', compared)).text).toContain('checks in each worktree: sh check.sh')
    for (const act of ['merge', 'take'])
      expect(await client.change(id, act)).toMatchObject({ status: 403, body: { error: 'merge_unchecked' } })
    expect(await listed()).toMatchObject({ repositories: [{ is_outdated: true, checks: ['sh check.sh'] }] })
  }
  expect(await client.start({ queue: true })).toMatchObject({ checks: ['sh check.sh'] })

  driving.repository.write('.drover.yml', 'checks: []\n')
  trust()
  expect(await listed()).toMatchObject({ repositories: [{ checks: [] }] })
})
