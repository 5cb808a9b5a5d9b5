/** `drover watch` with the real `gh` and the fake forge. `npm run faults watch` kills such watchers many times. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST } from '../support/driven-home.ts'
import { type FakeForge, hasForge, startForge } from '../support/forge/fake-forge.ts'
import { ORDERS } from '../support/forge/followed-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending, runAt } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const settingsWith = (drive: object) => ({
  warm: { enabled: false },
  drive: { deliver: 'pr', watch_secs: 1, attempts: 0, rounds: 0, baseline: 'skip', ...drive },
})

const QUESTION = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
const ASKING = { outcome: { status: 'needs_input', pause: QUESTION, suggested_actions: [] } }

/** A machine that has a clone of the repository of the forge. */
function createMachine(fake: FakeForge, drive: object = {}) {
  const driving = createDriving({ implement: [HONEST] }, { config: JSON.stringify(settingsWith(drive)) })
  const { root, git } = driving.repository
  if (fake.headOf('main') === undefined) git('push', '--quiet', fake.bare, 'HEAD:refs/heads/main')
  git('remote', 'add', 'origin', fake.address)
  const [bin = ''] = fake.env['PATH']?.split(':') ?? []
  const env = { ...fake.env, ...driving.env, PATH: `${bin}:${driving.env.PATH}` }
  const drover = (...args: string[]) => runAt(root, [process.execPath, DROVER, ...args], env)
  const start = (...args: string[]) => spawn(process.execPath, [DROVER, ...args], { cwd: root, env })
  onTestFinished(async () => void (await drover('down')))
  return { driving, drover, start, once: (...more: string[]) => drover('watch', '--once', '--json', ...more) }
}

const queuedIn = (stdout: string) =>
  [...stdout.matchAll(/"type":"queued","run_id":"([^"]+)"/g)].map(([, id = '']) => id)
const saidOn = ({ comments }: FakeForge, number: number) =>
  comments.filter(({ on, author }) => on === number && author === 'drover-bot').map(({ body }) => body)

describe.runIf(hasForge)('drover watch', () => {
  it('takes an issue once: whose label a person has set who may, and who has not been changed since', {
    timeout: 180_000,
  }, async () => {
    const fake = await startForge()
    const { once, driving } = createMachine(fake)
    const [wind, rain, sun] = [fake.addIssue('Show the wind'), fake.addIssue('Show rain'), fake.addIssue('Show sun')]
    fake.label(wind.number, 'drover', 'ada')
    fake.label(rain.number, 'drover', 'eve')
    fake.label(sun.number, 'drover', 'grace')
    sun.edit = { by: 'eve', at: '2999-01-01T00:00:00Z' }
    const ran = await once('--wait')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(queuedIn(ran.stdout)).toHaveLength(1)
    expect([rain, sun].flatMap(({ number }) => saidOn(fake, number))).toEqual([])
    expect(saidOn(fake, wind.number)).toEqual([
      expect.stringMatching(/ done -->\ndrover has finished: https:.*\/pull\/4/),
    ])

    expect(fake.comments.every(({ author }) => author === 'drover-bot')).toBe(true)

    // Not again, but after the label was set again. A comment of a person who may does the same.
    expect(queuedIn((await once()).stdout)).toEqual([])
    fake.unlabel(wind.number, 'drover', 'ada')
    fake.label(wind.number, 'drover', 'ada', '2999-01-01T00:00:00Z')
    fake.addComment(rain.number, 'eve', '@drover go')
    fake.addComment(rain.number, 'ada', 'not for @drover')
    fake.addComment(sun.number, 'grace', '@drover: in lux').updatedAt = '2999-02-01T00:00:00Z'
    expect(queuedIn((await once()).stdout)).toHaveLength(2)
    expect(saidOn(fake, wind.number)).toHaveLength(2)
    expect(saidOn(fake, rain.number)).toHaveLength(0)
    expect(saidOn(fake, sun.number)).toHaveLength(1)
    await until(() => driving.calls().some(({ prompt }) => prompt.includes('in lux')))
    expect(queuedIn((await once()).stdout)).toEqual([])
  })

  it.runIf(IS_FULL)(
    'is one run for one label, whichever process is killed, and however many watch',
    {
      timeout: 180_000,
    },
    async () => {
      const fake = await startForge()
      const [one, other] = [createMachine(fake), createMachine(fake)]
      // Its server has another environment than its watcher, and cannot ask GitHub.
      await runAt(one.driving.repository.root, [process.execPath, DROVER, 'up'], one.driving.env)
      const [wind, rain] = [fake.addIssue('Show the wind'), fake.addIssue('Show rain')]
      fake.label(wind.number, 'drover', 'ada')
      const killed = one.start('watch', '--once')
      fake.onChange = ({ method }) => void (method === 'POST' && killed.kill('SIGKILL'))
      await ending(killed)
      fake.onChange = () => undefined
      expect(saidOn(fake, wind.number)).toHaveLength(1)

      fake.label(rain.number, 'drover', 'ada')
      const both = await Promise.all([other.once(), one.once()])
      expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ''],
        [0, ''],
      ])
      expect(both.flatMap(({ stdout }) => queuedIn(stdout))).toHaveLength(2)
      expect([wind, rain].map(({ number }) => saidOn(fake, number).length)).toEqual([1, 1])
    },
  )

  it.runIf(IS_FULL)(
    'is one run if two watchers read an issue before either of them writes',
    { timeout: 180_000 },
    async () => {
      const fake = await startForge()
      const machines = [createMachine(fake), createMachine(fake)]
      const { number } = fake.addIssue('Show the wind')
      fake.label(number, 'drover', 'ada')
      let readers = 0
      const both = Promise.withResolvers<void>()
      fake.hold = ({ method, path }) => {
        if (method !== 'GET' || !path.includes(`/issues/${number}/comments`)) return undefined
        readers += 1
        if (readers === 2) both.resolve()
        return both.promise
      }
      const looked = await Promise.all(machines.map(({ once }) => once()))
      expect(looked.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ''],
        [0, ''],
      ])
      const posted = fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/comments'))
      expect([posted.length, saidOn(fake, number).length]).toEqual([2, 1])
      expect(looked.flatMap(({ stdout }) => queuedIn(stdout))).toHaveLength(1)
    },
  )

  it.runIf(IS_FULL)(
    'hears only its reviewers, and answers and resumes by their comments',
    { timeout: 180_000 },
    async () => {
      const fake = await startForge()
      const { once, driving, drover } = createMachine(fake, { reviewers: ['hedy'], mention: 'bot' })
      driving.rewrite({ orient: [ASKING, {}], implement: [{ ...HONEST, pause: 20_000 }, HONEST] })
      const [wind, rain] = [fake.addIssue('Show the wind', ORDERS, 'eve'), fake.addIssue('Show rain')]
      fake.label(wind.number, 'drover', 'hedy')
      fake.label(rain.number, 'drover', 'ada')
      // The clone is behind: the run starts with what origin has.
      const newest = fake.pushFiles('main', { 'sun.txt': 'sun\n' })
      const [id = '', ...others] = queuedIn((await once()).stdout)
      expect(others).toEqual([])
      const run = async () => JSON.parse((await drover('status', id, '--json')).stdout)
      await until(async () => (await run()).pause_reason === 'decision_required')
      expect(dataOf(driving.records(id), 'drive_started')).toMatchObject([{ place: { base: newest } }])
      await once()
      expect(saidOn(fake, wind.number)).toEqual([expect.stringMatching(/needs an answer[\s\S]*begins with `@bot`/)])
      for (const who of ['eve', 'ada']) fake.addComment(wind.number, who, '@bot furlongs')
      await once()
      expect((await run()).state).toBe('paused')
      fake.addComment(wind.number, 'hedy', '@bot Knots.')
      await once()
      await until(() => driving.calls().some(({ kind }) => kind === 'implement'))
      expect(
        driving
          .calls()
          .map(({ prompt }) => prompt)
          .join(''),
      ).toContain('Knots.')
      const [{ place } = {}] = dataOf(driving.records(id), 'drive_started')
      expect(await drover('stop', id, '--root', place?.root ?? '')).toMatchObject({ code: 0 })
      await until(() => dataOf(driving.records(id), 'attempt_ended').length === 2)
      fake.addComment(wind.number, 'hedy', '@bot continue')
      await once()
      await until(() => dataOf(driving.records(id), 'delivered')[0])
      await once()
      expect(saidOn(fake, wind.number)).toEqual([
        expect.stringMatching(/ done -->\ndrover has finished; look.*\/pull\/3/),
      ])
      expect(
        driving
          .calls()
          .map(({ prompt }) => prompt)
          .join(''),
      ).not.toContain('furlongs')
    },
  )

  it.runIf(IS_FULL)('leaves an issue that was edited while it was taken', { timeout: 120_000 }, async () => {
    const fake = await startForge()
    const { once, driving } = createMachine(fake)
    const [early, late] = [fake.addIssue('Show the wind', '', 'eve'), fake.addIssue('Show rain', '', 'eve')]
    for (const { number } of [early, late]) fake.label(number, 'drover', 'ada')
    let reads = 0
    fake.hold = ({ path, body }) => {
      const { number } = (body?.['variables'] ?? {}) as { number?: number }
      const isText = path === '/graphql' && String(body?.['query']).includes('updatedAt')
      // Right before the text is read, and after drover has seen that it was not edited.
      if (isText && number === late.number) late.edit = { by: 'eve', at: '2999-01-01T00:00:00Z' }
      if (path.endsWith(`/issues/${early.number}/comments?per_page=100`)) reads += 1
      if (reads === 2) early.edit = { by: 'eve', at: '2999-01-01T00:00:00Z' }
      return undefined
    }
    expect(queuedIn((await once()).stdout)).toEqual([])
    for (const { number } of [early, late])
      expect(saidOn(fake, number)).toEqual([expect.stringMatching(/ done -->\ndrover could not start: .*was edited/)])
    expect(driving.calls()).toEqual([])
  })

  it.runIf(IS_FULL)(
    'takes no issue while the budget of its label is spent, and says so once',
    { timeout: 180_000 },
    async () => {
      const fake = await startForge()
      const { once, start, drover, driving } = createMachine(fake)
      const limit = (text: string) => {
        const budgets = [{ limit: text, label: 'Drover' }]
        driving.configure(JSON.stringify({ ...settingsWith({ on_limit: 'pause' }), budgets }))
      }
      limit('1requests/once')
      const [wind, rain] = [fake.addIssue('Show the wind'), fake.addIssue('Show rain')]
      fake.label(wind.number, 'drover', 'ada')
      const [id = ''] = queuedIn((await once('--wait')).stdout)
      const why = 'the budget of 1 request in total for the label Drover is spent: 1 request used'
      expect(dataOf(driving.records(id), 'paused')).toMatchObject([
        { reason: 'budget_spent', message: expect.stringContaining(why) },
      ])
      expect(driving.calls()).toHaveLength(1)
      const { budgets } = JSON.parse((await drover('budgets', '--json')).stdout)
      expect(budgets).toMatchObject([{ name: 'the label Drover', label: 'Drover', used: 1, reserved: 0, limit: 1 }])

      fake.addComment(rain.number, 'grace', '@drover in inches')
      const watching = start('watch')
      const ended = ending(watching)
      let looks = 0
      fake.hold = ({ path }) => {
        if (path.includes('/issues/comments')) looks += 1
        return undefined
      }
      await until(() => looks >= 3)
      watching.kill('SIGINT')
      const { stderr } = await ended
      expect(stderr.split(`no issue is taken: ${why}`)).toHaveLength(2)
      expect(saidOn(fake, rain.number)).toEqual([])

      // With a higher limit, it takes the issue of the comment that was left.
      limit('9requests/once')
      await drover('down')
      expect(queuedIn((await once()).stdout)).toHaveLength(1)
      await until(() => driving.calls().some(({ prompt }) => prompt.includes('in inches')))
      expect(await drover('drive', id)).toMatchObject({ code: 0 })
    },
  )

  it.runIf(IS_FULL)(
    'drops what waits in the queue if its issue is closed, deleted or unlabeled, and passes over a locked one',
    {
      timeout: 300_000,
    },
    async () => {
      const fake = await startForge()
      const { once, driving, drover } = createMachine(fake, { parallel: 1 })
      driving.rewrite({ orient: [{ hangs: true }] })
      const issues = ['running', 'locked', 'closed', 'unlabeled', 'deleted'].map((title) => fake.addIssue(title))
      const [running = 0, locked = 0, closed = 0, unlabeled = 0, deleted = 0] = issues.map(({ number }) => number)
      for (const { number } of issues) for (const label of ['urgent', 'drover']) fake.label(number, label, 'ada')
      const lock: typeof fake.refuse = ({ method, path }) =>
        method === 'POST' && path.includes(`/issues/${locked}/`)
          ? { status: 403, message: 'issue is locked' }
          : undefined
      fake.refuse = lock
      const ran = await once()
      expect(ran.stdout).toContain('"code":"provider_forbidden"')
      const [first = '', second = '', ...others] = queuedIn(ran.stdout)
      expect([ran.code, others.length, saidOn(fake, locked)]).toEqual([0, 2, []])

      Object.assign(fake.items.get(closed) ?? {}, { state: 'closed' })
      for (const number of [running, unlabeled]) fake.unlabel(number, 'drover', 'ada')
      fake.items.get(deleted)?.labels.splice(0)
      fake.refuse = (request) => (request.path.includes(`/issues/${deleted}`) ? { status: 410 } : lock(request))
      expect(queuedIn((await once()).stdout)).toEqual([])
      const said = [running, closed, unlabeled].flatMap((number) => saidOn(fake, number))
      expect(said).toEqual([
        expect.stringMatching(/[0-9a-f] -->\ndrover is working on it/),
        expect.stringMatching(/ done -->\ndrover could not start: the issue was closed/),
        expect.stringMatching(/ done -->\ndrover could not start: the label drover was removed/),
      ])
      const stateOf = async (id: string) => JSON.parse((await drover('status', id, '--json')).stdout).state
      expect([await stateOf(first), await stateOf(second)]).toEqual(['active', 'stopped'])
      expect(await drover('watch', '--label', 'a,b')).toMatchObject({ code: 2 })
    },
  )

  it.runIf(IS_FULL)('waits longer after each refusal, and says why', { timeout: 120_000 }, async () => {
    const fake = await startForge()
    const { drover, start } = createMachine(fake)
    const reset = String(Math.round(Date.now() / 1000) + 3600)
    fake.refuse = () => ({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } })
    const watching = start('watch')
    onTestFinished(() => void watching.kill('SIGKILL'))
    const [watcher] = await until(async () => {
      const { watchers } = JSON.parse((await drover('watch', '--list', '--json')).stdout)
      return watchers[0]?.problem !== undefined && watchers
    })
    expect(watcher).toMatchObject({ repo: 'ada/weather', is_running: true, problem: { code: 'provider_rate_limited' } })
    expect(Date.parse(watcher.next_at) - Date.parse(watcher.looked_at)).toBeGreaterThanOrEqual(1900)
    expect(await drover('watch', '--once')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('already watched'),
    })
    expect((await drover('drive', '--queue')).stdout).toContain('Watching ada/weather, label drover: process')
    // One request for each look.
    expect(fake.requests.length).toBeLessThanOrEqual(3)
  })
})

describe('drover watch --schedule', () => {
  it('tells a mistake when it starts, not when the time comes', async () => {
    const driving = createDriving({})
    const watch = (...args: string[]) => driving.call(['watch', '--once', ...args])
    const missing = await watch('--schedule', '0 3 * * *', '--goal-file', 'missing.md')
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('missing.md')])
    expect(await watch()).toMatchObject({ code: 2, stderr: expect.stringContaining('--repo OWNER/NAME') })
  })

  it.runIf(IS_FULL)(
    'starts one run for all times that were missed, also after a kill',
    { timeout: 120_000 },
    async () => {
      const driving = createDriving(
        { implement: [HONEST] },
        { config: JSON.stringify(settingsWith({ deliver: 'branch' })) },
      )
      const { root, write } = driving.repository
      write('chore.md', 'Update the wind\n')
      const drover = (...args: string[]) => runAt(root, [process.execPath, DROVER, ...args], driving.env)
      onTestFinished(async () => void (await drover('down')))
      const once = () => drover('watch', '--schedule', '0 3 * * *', '--goal-file', 'chore.md', '--once', '--json')
      expect(queuedIn((await once()).stdout)).toEqual([])
      const [file = ''] = readdirSync(join(driving.env.DROVER_HOME, 'watch')).filter((name) => name.endsWith('.json'))
      const path = join(driving.env.DROVER_HOME, 'watch', file)
      const edit = (changes: object) =>
        writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }))
      edit({ since: '2026-01-01T00:00:00.000Z' })
      const [first = ''] = queuedIn((await once()).stdout)
      expect(first).not.toBe('')
      expect(queuedIn((await once()).stdout)).toEqual([])
      // Killed after the run was started, and before that was written down.
      edit({ since: '2026-01-01T00:00:00.000Z', pending: { run_id: first, at: new Date().toISOString() } })
      expect(queuedIn((await once()).stdout)).toEqual([first])
      // Killed before it was queued.
      rmSync(join(driving.env.DROVER_HOME, 'driven-runs', `${first}.json`))
      edit({ since: '2026-01-01T00:00:00.000Z', pending: { run_id: first, at: new Date().toISOString() } })
      expect(queuedIn((await once()).stdout)).toEqual([first])
      expect(queuedIn((await once()).stdout)).toEqual([])
      expect(readdirSync(driving.runs)).toHaveLength(1)
    },
  )
})
