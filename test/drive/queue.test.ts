/** Runs that wait in the queue of a server. `npm run faults queue` kills such servers many times. */

import { spawn } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DrivenRun, RunQueue } from '../../src/drive/service/driven-run.shape.ts'
import { createDriving } from '../support/driven-agents.ts'
import { type DrivenScript, dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { hasForge, startForge } from '../support/forge/fake-forge.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending, runAt } from '../support/run-drover.ts'
import { createServedDriving, serveRuns } from '../support/served-runs.ts'
import { until } from '../support/until.ts'

const GOALS = ['Show the wind', 'Show the rain', 'Show the sun']

function createQueueing(script: DrivenScript = {}, parallel = 1) {
  const config = `warm:\n  enabled: false\ndrive:\n  parallel: ${parallel}\n`
  const driving = createDriving(script, { config })
  const { root } = driving.repository
  const drover = (...args: string[]) => runAt(root, [process.execPath, DROVER, ...args], driving.env)
  onTestFinished(async () => void (await drover('down')))
  const queue = async (): Promise<RunQueue> => JSON.parse((await drover('drive', '--queue', '--json')).stdout)
  const delivered = (id: string) => until(() => dataOf(driving.records(id), 'delivered')[0])
  return { driving, drover, queue, delivered }
}

function idsIn(stdout: string): string[] {
  return [...stdout.matchAll(/Run ([0-9a-f-]{36})/g)].map(([, id = '']) => id)
}

describe('drover drive with several goals', () => {
  it('drives one after the other, says what becomes of each, and exits with the worst', {
    timeout: 60_000,
  }, async () => {
    const { driving, drover, queue } = createQueueing()
    const ran = await drover('drive', ...GOALS, '--no-review', '--check', 'sh check.sh')
    expect(ran, ran.stdout).toMatchObject({ code: 0, stderr: '' })
    const ids = idsIn(ran.stdout)
    expect(ids).toHaveLength(3)
    const orients = driving.calls().filter(({ kind }) => kind === 'orient')
    expect(orients.map(({ prompt }) => GOALS.findIndex((goal) => prompt.includes(goal)))).toEqual([0, 1, 2])
    // No agent of a run works before the run before it has ended.
    const [first, second] = ids.map((id) => driving.records(id))
    const [endOfFirst = '', startOfSecond = ''] = [
      first?.at(-1)?.at,
      second?.find(({ type }) => type === 'drive_resumed')?.at,
    ]
    expect(startOfSecond >= endOfFirst).toBe(true)
    for (const id of ids) expect(ran.stdout).toContain(`${id.slice(0, 8)} Show the`)
    // All of them change wind.txt: each pair is named once.
    expect(ran.stdout.match(/changes wind.txt, as [0-9a-f]{8} does/g)).toHaveLength(3)
    expect(await queue()).toEqual({ parallel: 1, runs: [] })
  })

  it.runIf(IS_FULL)('starts a run on the branch of the one before it', { timeout: 60_000 }, async () => {
    const { driving, drover, queue, delivered } = createQueueing({
      implement: [{ edits: { 'a.txt': 'a\n' } }, { edits: { 'b.txt': 'b\n' } }],
    })
    const [one = ''] = idsIn((await drover('drive', 'Write a', '--no-review', '--detach')).stdout)
    const flags = ['--no-review', '--detach', '--after', one, '--check', 'true', '--max-tokens', '900']
    const { stdout: second } = await drover('drive', 'Write b', ...flags)
    expect(second).toContain('\nWork by claude, no review\nChecks: true\nLimits: 900 tokens\n')
    const [two = ''] = idsIn(second)
    const waits = (await queue()).runs.find(({ id }) => id === two)?.queue
    expect(waits === undefined || waits.after === one).toBe(true)
    const [{ commit: before = '' }, { commit = '' }] = [await delivered(one), await delivered(two)]
    expect(dataOf(driving.records(two), 'started_on')).toEqual([{ run_id: one, commit: before }])
    expect(driving.repository.git('diff', '--name-only', before, commit).trim()).toBe('b.txt')
    expect(driving.repository.git('log', '--format=%s', `${commit}~1`, '-1').trim()).toBe('Write a')
    const failing = ['--no-review', '--check', 'false', '--rounds', '0']
    const three = runIdIn((await drover('drive', 'Write c', ...failing)).stdout)
    expect(await drover('drive', 'Write d', ...failing, '--detach', '--after', three)).toMatchObject({ code: 0 })
    expect((await queue()).runs.at(-1)?.queue).toMatchObject({ waits_for: 'run_not_delivered', after: three })
  })

  it.runIf(IS_FULL)(
    'removes a run that is stopped, and drives the one first that is put first',
    { timeout: 60_000 },
    async () => {
      const { driving, drover, queue, delivered } = createQueueing({ orient: [{ hangs: true }, {}] })
      const [running = '', stopped = '', second = '', first = ''] = idsIn(
        (await drover('drive', ...GOALS, 'Show the moon', '--no-review', '--detach')).stdout,
      )
      await until(() => driving.calls().length > 0)
      expect((await queue()).runs.map(({ id, state }) => [id, state])).toEqual([
        [running, 'running'],
        ...[stopped, second, first].map((id) => [id, 'queued']),
      ])
      const ahead = await drover('drive', first, '--ahead-of', second)
      expect(ahead).toMatchObject({ code: 0, stdout: `Run ${first} starts before ${second}.\n` })
      expect((await queue()).runs.map(({ id }) => id)).toEqual([running, stopped, first, second])
      expect(await drover('drive', first, '--ahead-of', running)).toMatchObject({ code: 3 })
      expect(await drover('drive', first, '--first')).toMatchObject({ code: 0, stdout: `Run ${first} is next.\n` })
      expect(await drover('drive', running, '--first')).toMatchObject({ code: 3 })
      const shown = await drover('status', stopped, '--json')
      expect(JSON.parse(shown.stdout).verdict).toMatchObject({ word: 'queued', next: 'drover drive --queue' })
      for (const id of [stopped, running]) {
        const [{ place } = {}] = dataOf(driving.records(id), 'drive_started')
        expect(await drover('stop', id, '--root', place?.root ?? '')).toMatchObject({ code: 0 })
      }
      await Promise.all([delivered(first), delivered(second)])
      const goals = driving.calls().filter(({ kind }) => kind === 'orient')
      expect(goals.map(({ prompt }) => /Show the (\w+)/.exec(prompt)?.[1])).toEqual(['wind', 'moon', 'sun'])
      expect(driving.records(stopped)).toHaveLength(1)
    },
  )

  it.runIf(IS_FULL)(
    'pauses all of them when they have used the total, and continues with a higher one',
    {
      timeout: 60_000,
    },
    async () => {
      const { driving, drover, queue } = createQueueing({ orient: [{ usage: { input: 400, output: 100 } }] })
      const ran = await drover('drive', ...GOALS, '--no-review', '--total-tokens', '500')
      expect(ran.code).toBe(4)
      const [one = '', two = ''] = idsIn(ran.stdout)
      expect(ran.stdout).toContain('--total-tokens')
      // One attempt has used everything, so that no other agent was started.
      expect(driving.calls()).toHaveLength(1)
      const waiting = (await queue()).runs
      expect(waiting.map(({ queue: place }) => place?.waits_for)).toEqual([undefined, 'total', 'total'])
      const reason = waiting[1]?.queue?.reason
      expect(reason).toContain('waits for a higher --total-tokens')
      expect((await drover('status', two, '--json')).stdout).toContain(`queued: ${reason}`)
      expect((await drover('report', '--since', '1h')).stdout).toContain('waits for a higher')
      expect((await drover('drive', '--queue')).stdout).toContain('So far: 500 of 500 tokens, ')
      expect(await drover('drive', one, '--total-tokens', '1000000000')).toMatchObject({ code: 0 })
      await until(() => dataOf(driving.records(two), 'delivered')[0])
    },
  )
})

it.runIf(IS_FULL && hasForge)('queues the open issues with a label, oldest first, then files with goals', async () => {
  const { driving, drover, queue } = createQueueing({ orient: [{ hangs: true }] })
  const forge = await startForge()
  Object.assign(driving.env, forge.env, { PATH: `${driving.env.PATH}:${forge.env['PATH']}` })
  driving.repository.git('remote', 'add', 'origin', forge.address)
  for (const title of ['Show the wind', 'Show the fog', 'Show the rain']) forge.addIssue(title, 'In knots.')
  for (const number of [1, 3]) forge.label(number, 'ready', 'ada')
  for (const name of ['sun', 'moon']) driving.repository.write(`goals/${name}.md`, `Show the ${name}\n`)
  driving.repository.commit()
  const flags = ['--no-review', '--detach']
  expect(await drover('drive', '--label', 'nothing', '--as-goal', ...flags)).toMatchObject({ code: 2, stdout: '' })
  expect(await drover('drive', '--label', 'ready', '--as-goal', ...flags)).toMatchObject({ code: 0, stderr: '' })
  const files = ['--goal-file', 'goals/moon.md', 'goals/sun.md']
  expect(await drover('drive', ...files, ...flags)).toMatchObject({ code: 0, stderr: '' })
  const { runs } = await queue()
  expect(runs.map(({ title }) => title)).toEqual(['wind', 'rain', 'moon', 'sun'].map((what) => `Show the ${what}`))
  // A queued run skips its first action, and keeps its place.
  const [, skipped] = runs
  expect(await drover('skip', skipped?.id ?? '', '--root', skipped?.worktree ?? '')).toMatchObject({ code: 0 })
  expect((await queue()).runs[1]).toMatchObject({ id: skipped?.id, queue: { number: 1 } })
})

it.runIf(IS_FULL)('shows a run that its total has paused, with the total', { timeout: 60_000 }, async () => {
  const { drover } = createQueueing({ orient: [{ usage: { input: 400, output: 100 }, cost: 0.0027 }] })
  expect((await drover('drive', 'Show the wind', '--no-review', '--total-tokens', '500')).code).toBe(4)
  expect((await drover('drive', '--queue')).stdout).toContain('So far: 500 of 500 tokens, $0.0027.')
})

it.runIf(IS_FULL)(
  'drives the next run while one waits for a limit, and none that would only wait',
  {
    timeout: 60_000,
  },
  async () => {
    const limit = { claude: 'API Error: Request rejected (429) · try again in 1h' }
    const { driving, drover, queue, delivered } = createQueueing({ implement: [{ limit }, HONEST] })
    const flags = ['--no-review', '--detach']
    const [limited, waiting] = idsIn((await drover('drive', 'Show the wind', 'Show the rain', ...flags)).stdout)
    const [free = ''] = idsIn((await drover('drive', 'Show the sun', '--with', 'codex', ...flags)).stdout)
    await delivered(free)
    expect((await queue()).runs.map(({ id, state, queue: place }) => [id, state, place?.waits_for])).toEqual([
      [limited, 'waiting_for_limit', undefined],
      [waiting, 'queued', 'limit'],
    ])
    expect((await drover('drive', '--queue')).stdout).toContain('waits until the limit of its agent is reset')
    expect(driving.calls().filter(({ backend }) => backend === 'claude')).toHaveLength(2)
  },
)

it.runIf(IS_FULL)('is not needed to see that two open runs change the same files', { timeout: 60_000 }, async () => {
  const pause = { reason: 'decision_required', question: 'Knots?', destructive_request: null }
  const asks = { outcome: { status: 'needs_input', pause, suggested_actions: [], implementation: null } }
  const { driving, drover } = createQueueing({ implement: [{ edits: { 'wind.txt': 'wind: 23 knots\n' }, ...asks }] })
  const ids: string[] = []
  for (const goal of ['Show the wind', 'Show the storm'])
    ids.push(...idsIn((await driving.drive(goal, '--no-review')).stdout).slice(0, 1))
  const [one = '', two = ''] = ids
  expect((await drover('status', two)).stdout).toContain(`This run changes wind.txt, as ${one} does.\n`)
  const shown = JSON.parse((await drover('status', one, '--json')).stdout)
  expect(shown.overlaps).toEqual([{ run_id: two, files: ['wind.txt'] }])
})

it.runIf(IS_FULL)(
  'shows a killed run with whole words, and how much of the cost is unknown',
  { timeout: 60_000 },
  async () => {
    const { driving, drover } = createQueueing({ orient: [{ cost: 0.25 }], implement: [{ hangs: true }] })
    const [killed = ''] = idsIn(
      (await drover('drive', 'Show the wind', 'Show the rain', '--no-review', '--detach')).stdout,
    )
    await until(() => driving.calls().length > 1)
    const [, pid = ''] = /process (\d+)/.exec((await drover('up', '--status')).stdout) ?? []
    process.kill(Number(pid), 'SIGKILL')
    const shown = await until(async () => {
      const { stdout } = await drover('drive', '--queue')
      return stdout.includes('not driven (') && stdout
    })
    expect(shown).toContain(`Show the wind; not driven (killed just now): drover drive ${killed}\n`)
    expect(shown).toContain('1 queued, 1 at once. So far: 150 tokens, $0.2500, 1 attempt of unknown cost.\n')
    const night = await drover('report', '--since', '1h')
    expect(night.stdout).toMatch(
      /^2 runs, 150 tokens, \$0\.25, 1 attempt of unknown cost, \d+ seconds? of agents and checks\.$/m,
    )
  },
)

it.runIf(IS_FULL)('refuses what cannot be queued, and starts nothing', async () => {
  const { driving, drover } = createQueueing()
  for (const [args, text] of [
    [['6f1c2c6e', 'Show the wind'], 'only new runs are queued'],
    [[...GOALS, '--in-place'], '--in-place and the queue cannot be used together'],
    [[...GOALS, '--total-cost', '0'], '--total-cost'],
    [[...GOALS, '--after', 'abcdef12'], 'abcdef12'],
    [[...GOALS, '--ahead-of', 'abcdef12'], 'name the queued run to move'],
    [[...GOALS, '--with', 'codex/mine', '--total-cost', '5'], 'what codex costs is not known'],
  ] as const)
    expect(await drover('drive', ...args)).toMatchObject({ stdout: '', stderr: expect.stringContaining(text) })
  expect(driving.calls()).toEqual([])
  expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
})

it.runIf(IS_FULL)(
  'loses no queued run when the server is killed between two runs, and drives each once',
  {
    timeout: 90_000,
  },
  async () => {
    const { driving, repository, start } = createServedDriving()
    const first = await start()
    const ids: string[] = []
    for (const goal of GOALS) {
      const run = await first.start({ goal, repository, queue: true })
      ids.push(run.id)
    }
    await first.reaches(ids[0] ?? '', 'ended')
    first.child.kill('SIGKILL')
    await first.ended
    const second = await start()
    for (const id of ids) await second.reaches(id, 'ended')
    for (const kind of ['orient', 'implement', 'summarize']) {
      const shown = ids.flatMap((id) =>
        dataOf(driving.records(id), 'attempt_started').filter((each) => each.action_kind === kind),
      )
      expect(driving.calls().filter((each) => each.kind === kind).length).toBeLessThanOrEqual(shown.length)
    }
    second.child.kill('SIGTERM')
    await second.ended
  },
)

it.runIf(IS_FULL)('is shown and changed by clients', async () => {
  const { start, server, change, reaches } = await serveRuns({ orient: [{ hangs: true }, {}] })
  await server.context.drover.begin()
  const one = await start({ goal: 'Show the wind', queue: true })
  await reaches(one.id, 'running')
  const two = await start({ goal: 'Show the rain', queue: true })
  const three = await start({ goal: 'Show the sun', group: 'night', total_tokens: 1_000_000 })
  expect(two).toMatchObject({
    state: 'queued',
    choices: ['first', 'move', 'skip', 'stop'],
    verdict: { word: 'queued' },
  })
  expect((await change(three.id, 'first')).body).toMatchObject({ state: 'queued' })
  const { body } = await server.request('/api/v1/queue')
  expect((body as RunQueue).totals).toEqual([{ run_ids: [three.id], tokens: 0, max_tokens: 1_000_000, cost_usd: 0 }])
  expect((body as RunQueue).runs.map(({ id, queue }: DrivenRun) => [id, queue?.number])).toEqual([
    [one.id, undefined],
    [three.id, 1],
    [two.id, 2],
  ])
  const order = async () =>
    ((await server.request('/api/v1/queue')).body as RunQueue).runs.flatMap(({ id, queue }) => (queue ? [id] : []))
  expect((await change(two.id, 'move', { before: three.id })).body).toMatchObject({ id: two.id, state: 'queued' })
  expect(await order()).toEqual([two.id, three.id])
  expect((await change(two.id, 'move')).status).toBe(200)
  expect(await order()).toEqual([three.id, two.id])
  for (const [id, before] of [
    [one.id, two.id],
    [two.id, one.id],
    [two.id, two.id],
  ] as const)
    expect((await change(id, 'move', { before })).body).toMatchObject({ error: 'run_not_queued' })
  expect((await change(two.id, 'move', { before: 'f'.repeat(129) })).status).toBe(400)
  expect((await change(two.id, 'move', { before: 'abcdef' })).status).toBe(404)
  expect(await order()).toEqual([three.id, two.id])
  expect((await change(one.id, 'first')).body).toMatchObject({ error: 'run_not_queued' })
  expect((await change(two.id, 'stop')).body).toMatchObject({ state: 'stopped' })
  expect((await change(one.id, 'stop')).status).toBe(200)
  await reaches(three.id, 'ended')
})

it.runIf(IS_FULL)('keeps the order that a client has set when the server is killed', { timeout: 60_000 }, async () => {
  const { repository, start } = createServedDriving({ orient: [{ hangs: true }] })
  const first = await start()
  const [running, one, two, three] = [
    await first.start({ repository, queue: true }),
    await first.start({ repository, queue: true }),
    await first.start({ repository, queue: true }),
    await first.start({ repository, queue: true }),
  ]
  await first.reaches(running.id, 'running')
  expect((await first.change(three.id, 'move', { before: two.id })).status).toBe(200)
  expect((await first.change(two.id, 'move', { before: one.id })).status).toBe(200)
  first.child.kill('SIGKILL')
  await first.ended
  const second = await start()
  const answer = await fetch(`http://127.0.0.1:${second.port}/api/v1/queue`)
  const { runs } = (await answer.json()) as RunQueue
  expect(runs.flatMap(({ id, queue }) => (queue ? [id] : []))).toEqual([two.id, one.id, three.id])
  for (const { id } of [three, one, two, running]) await second.change(id, 'stop')
  second.child.kill('SIGTERM')
  await second.ended
})

it.runIf(IS_FULL)('can be left with Ctrl-C, and continues', { timeout: 60_000 }, async () => {
  const { driving, drover, queue } = createQueueing({ orient: [{ hangs: true }] })
  const child = spawn(process.execPath, [DROVER, 'drive', ...GOALS, '--no-review'], {
    cwd: driving.repository.root,
    env: driving.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran = ending(child)
  let shown = ''
  child.stdout.on('data', (text) => (shown += text))
  await until(() => shown.includes('works on orient'))
  child.kill('SIGINT')
  expect(await ran).toMatchObject({ code: 130, stderr: expect.stringContaining('continue in the background') })
  expect((await queue()).runs.map(({ state }) => state)).toEqual(['running', 'queued', 'queued'])
  expect((await drover('drive', '--queue')).stdout).toContain('2 queued, 1 at once')
})
