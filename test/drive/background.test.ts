/** Runs that a server drives: detached ones, and those of a server that is stopped or killed and started again. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { type DrivenScript, dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import type { KillPoint } from '../support/kill-point.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, ending, runAt } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { createServedDriving, GOAL, runClient } from '../support/served-runs.ts'
import { ask } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const QUESTION = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
const ASKING = { outcome: { status: 'needs_input', pause: QUESTION, suggested_actions: [] } }

const KILLER = join(import.meta.dirname, '..', 'programs', 'kill-at.ts')

function createDetached(script: DrivenScript = {}, idleSecs = 600) {
  const driving = createDriving(script, { config: `warm:\n  enabled: false\n  background_idle_secs: ${idleSecs}\n` })
  const { root } = driving.repository
  const drover = (...args: string[]) => runAt(root, [process.execPath, DROVER, ...args], driving.env)
  onTestFinished(async () => void (await drover('down')))
  const delivered = (id: string) => until(() => dataOf(driving.records(id), 'delivered')[0])
  return { driving, drover, delivered }
}

describe('drover drive --detach', () => {
  it.runIf(IS_FULL)(
    'continues in the background, which lasts as long as the run, and tells when it has ended',
    async () => {
      const { driving, drover, delivered } = createDetached({ orient: [{ pause: 3500 }] }, 2)
      const told = join(driving.scratch, 'told.json')
      const flags = ['--no-review', '--check', 'sh check.sh', '--detach', '--notify', `tee ${told}`]
      const started = await drover('drive', GOAL, ...flags)
      expect(started).toMatchObject({ code: 0, stderr: '' })
      const id = runIdIn(started.stdout)
      expect(started.stdout).toContain(`drover stop ${id.slice(0, 8)}`)
      expect(started.stdout).toContain(
        `Its checks have not run yet: "drover status ${id.slice(0, 8)}" shows how they end.`,
      )
      // It has its checks from the flags, and works in a repository that no setting names.
      expect(await delivered(id)).toMatchObject({ as: 'branch' })
      expect(dataOf(driving.records(id), 'check_ran')).toMatchObject([{ command: 'sh check.sh', passed: true }])
      await until(() => existsSync(told) && readFileSync(told, 'utf8').includes('"word":"delivered"'))
      expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    },
  )

  it.runIf(IS_FULL)('tells of a run that could not be delivered', async () => {
    const { driving, drover } = createDetached()
    const told = join(driving.scratch, 'told.json')
    const flags = ['--no-review', '--deliver', 'pr', '--detach', '--notify', `tee ${told}`]
    expect(await drover('drive', GOAL, ...flags)).toMatchObject({ code: 0, stderr: '' })
    const notice = await until(() => existsSync(told) && readFileSync(told, 'utf8'))
    expect(JSON.parse(notice)).toMatchObject({ verdict: { word: 'not delivered', exit_code: 3 }, goal: GOAL })
  })

  it.runIf(IS_FULL)(
    'is followed by drover drive ID, which can be left, and ended by drover stop; then it is finished',
    {
      timeout: 180_000,
    },
    async () => {
      const { driving, drover } = createDetached({ implement: [{ ...HONEST, hangs: true }] })
      const id = runIdIn((await drover('drive', GOAL, '--detach')).stdout)
      expect(await drover('drive', id, '--detach')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('another process is driving the run'),
      })
      const { root } = driving.repository
      const options = { cwd: root, env: driving.env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] }
      const child = spawn(process.execPath, [DROVER, 'drive', id], options)
      const followed = ending(child)
      let shown = ''
      child.stdout.on('data', (text) => (shown += text))
      await until(() => shown.includes('implement by'))
      const [{ place } = {}] = dataOf(driving.records(id), 'drive_started')
      const file = join(place?.root ?? '', 'wind.txt')
      await until(() => readFileSync(file, 'utf8').includes('knots'))
      child.kill('SIGINT')
      expect(await followed).toMatchObject({
        code: 130,
        stderr: expect.stringContaining('continues in the background'),
      })
      expect(dataOf(driving.records(id), 'attempt_ended')).toHaveLength(1)
      expect(await drover('stop', id, '--root', place?.root ?? '')).toMatchObject({ code: 0 })
      await until(() => dataOf(driving.records(id), 'attempt_ended').length > 1)
      expect(dataOf(driving.records(id), 'attempt_ended')).toMatchObject([{ how: 'answered' }, { how: 'cancelled' }])

      // A review comes first, so another round finishes the work.
      driving.rewrite({ implement: [{ edits: { 'rain.txt': 'rain\n' } }] })
      const resumed = await drover('drive', id)
      expect([resumed.code, resumed.stderr, resumed.stdout]).toEqual([
        0,
        '',
        expect.stringMatching(/^delivered: branch/m),
      ])
      const [{ next_run_id: next = '' } = {}] = dataOf(driving.records(id), 'round_started')
      expect(dataOf(driving.records(next), 'outcome_submitted').map(({ status }) => status)).toContain('completed')
    },
  )
})

describe('drover answer', () => {
  it('continues a run that the server has driven, and says how to do it if there is no server any more', async () => {
    const { driving, drover, delivered } = createDetached({ orient: [ASKING, ASKING, {}] })
    const id = runIdIn((await drover('drive', GOAL, '--no-review', '--detach')).stdout)
    const asked = (times: number) =>
      until(async () => {
        const { verdict } = JSON.parse((await drover('status', id, '--json')).stdout)
        const count = dataOf(driving.records(id), 'outcome_submitted').length
        return count === times && verdict.word === 'waits for you'
      })
    await asked(1)
    const answered = await drover('answer', id, 'Knots.')
    expect(answered).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Answered\. Your server continues/),
    })
    await asked(2)
    await drover('down')
    const alone = await drover('answer', id, 'Knots.')
    expect(alone).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Answered\.\n/) })
    expect(alone.stdout).toContain('not driven (answered just now): drover drive')
    expect(await drover('drive', id, '--detach')).toMatchObject({ code: 0 })
    expect(await delivered(id)).toMatchObject({ as: 'branch' })
  })
})

it.runIf(hasTerminals)(
  'a question that is answered where the run is followed leaves the run to its server',
  async () => {
    const { driving, drover, delivered } = createDetached({ orient: [ASKING, { pause: 1500 }] })
    const id = runIdIn((await drover('drive', GOAL, '--no-review', '--detach')).stdout)
    await until(() => dataOf(driving.records(id), 'outcome_submitted')[0])
    const around = { cwd: driving.repository.root, env: { ...driving.env, NO_COLOR: '1' }, columns: 200 }
    const follow = () => startOnTerminal(['drive', id], around)
    const question = 'Answer (/skip to skip, Enter to decide later): '
    const later = follow()
    await later.shows(question)
    later.type('\n')
    expect(await later.ended).toMatchObject({
      code: 4,
      seen: expect.stringContaining(`drover answer ${id.slice(0, 8)}`),
    })
    const answering = follow()
    await answering.shows(question)
    answering.type('Knots.\n')
    await answering.shows('Ctrl-C leaves it running')
    answering.type('\u0003')
    expect(await answering.ended).toMatchObject({ code: 130 })
    expect(await delivered(id)).toMatchObject({ as: 'branch' })
    expect(dataOf(driving.records(id), 'attempt_ended').map(({ how }) => how)).not.toContain('cancelled')
  },
)

it.runIf(IS_FULL)('a run that was answered while a demo server drives it is no run of the demo agent', async () => {
  const { driving, drover } = createDetached({ orient: [ASKING, {}] })
  const port = await portOf(serveDrover(['--port', '0', '--demo'], driving.env))
  const { change, reaches } = runClient((path, options) => ask({ port, path, ...options }))
  const id = runIdIn((await drover('drive', GOAL, '--no-review', '--detach')).stdout)
  await reaches(id, 'waiting')
  expect(await change(id, 'answer', { text: 'Knots.' })).toMatchObject({ status: 200 })
  await reaches(id, 'ended')
  expect(dataOf(driving.records(id), 'drive_resumed')).toMatchObject([{ options: { is_demo: false } }])
})

describe('options for a run that the server drives', () => {
  const limit = { claude: 'API Error: Request rejected (429) · try again in 5h' }

  it.runIf(IS_FULL).each([
    ['here', []],
    ['in the background', ['--detach']],
  ])('are used at once if it waits for a limit, %s', async (_where, detach) => {
    const { driving, drover, delivered } = createDetached({ implement: [{ limit }, HONEST] })
    const id = runIdIn((await drover('drive', GOAL, '--no-review', '--detach')).stdout)
    await until(() => dataOf(driving.records(id), 'waiting_for_limit')[0])
    const wrong = await drover('drive', id, '--on-limit', 'next', '--fallback', 'nobody')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('nobody') })
    const next = await drover('drive', id, '--on-limit', 'next', '--fallback', 'claude', ...detach)
    expect(next).toMatchObject({ code: 0 })
    expect(await delivered(id)).toMatchObject({ as: 'branch' })
    expect(dataOf(driving.records(id), 'drive_resumed')).toMatchObject([
      { options: { on_limit: 'next', fallback: ['claude'] }, chooses_limit: true },
    ])
  })

  it.each(
    firstOf([
      ['here', []],
      ['in the background', ['--detach']],
    ]),
  )('are refused while an agent works, %s', async (_where, detach) => {
    const { driving, drover } = createDetached({ implement: [{ ...HONEST, hangs: true }] })
    const id = runIdIn((await drover('drive', GOAL, '--no-review', '--detach')).stdout)
    await until(() => dataOf(driving.records(id), 'attempt_started').length === 2)
    expect(await drover('drive', id, '--max-tokens', '5000', ...detach)).toMatchObject({
      ...{ code: 3, stderr: expect.stringContaining(`run "drover stop ${id}" first`) },
    })
    expect(await drover('stop', id)).toMatchObject({ code: 0 })
  })
})

describe('drover drive --detach, whose server is killed', () => {
  /** A server of the user that ends at this moment of the next hand-over. */
  async function startDoomed({ driving }: ReturnType<typeof createDetached>, handOver: KillPoint['handOver']) {
    const argv = ['--import', KILLER, DROVER, 'serve', '--local', '--quiet']
    const env = { ...driving.env, KILL_AT: killAt(driving, handOver) }
    const child = spawn(process.execPath, argv, { env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    await until(() => existsSync(join(driving.home, '.drover', 'server.sock')))
    return child
  }

  function killAt({ scratch }: { scratch: string }, handOver: KillPoint['handOver']): string {
    return JSON.stringify({ victim: 'driver', handOver, reportTo: join(scratch, 'killed.json') })
  }

  it.runIf(IS_FULL).each(['asked', 'listed'] as const)('when it was %s: another server has the run', async (moment) => {
    const detached = createDetached()
    const doomed = await startDoomed(detached, moment)
    const started = await detached.drover('drive', GOAL, '--no-review', '--detach')
    expect(doomed.signalCode).toBe('SIGKILL')
    expect(started).toMatchObject({ code: 0, stderr: '' })
    expect(await detached.delivered(runIdIn(started.stdout))).toMatchObject({ as: 'branch' })
  })

  it.runIf(IS_FULL)('again and again: names the run, which drover up continues', async () => {
    const { driving, drover, delivered } = createDetached()
    // For every server that the command starts.
    const doomed = { NODE_OPTIONS: `--import ${KILLER}`, KILL_AT: killAt(driving, 'asked') }
    const argv = [process.execPath, DROVER, 'drive', GOAL, '--no-review', '--detach']
    const started = await runAt(driving.repository.root, argv, { ...driving.env, ...doomed })
    expect(started.code).toBe(3)
    const [, name = ''] = /the run ([0-9a-f]{8}) was not handed over/.exec(started.stderr) ?? []
    expect(started.stderr).toContain(`"drover up" continues it in the background, "drover drive ${name}" here`)
    expect(driving.calls()).toEqual([])
    expect(await drover('up')).toMatchObject({ code: 0 })
    const id = readdirSync(driving.runs).find((each) => each.startsWith(name)) ?? ''
    expect(await delivered(id)).toMatchObject({ as: 'branch' })
  })
})

describe('a detached run, in a repository that no setting names', () => {
  it.runIf(IS_FULL)('is answered by a client of a server without keys, and continues', async () => {
    const { driving, drover } = createDetached({ orient: [ASKING, {}] })
    const port = await portOf(serveDrover(['--port', '0'], driving.env))
    const started = await drover('drive', GOAL, '--no-review', '--detach')
    expect(started.stdout).toContain('"drover open" shows it in the console')
    const id = runIdIn(started.stdout)
    const { start, change, reaches } = runClient((path, options) => ask({ port, path, ...options }))
    await reaches(id, 'waiting')
    expect(await change(id, 'answer', { text: 'Knots.' })).toMatchObject({ status: 200 })
    await reaches(id, 'ended')
    await expect(start({ repository: driving.repository.root })).rejects.toThrow('drive_repository_not_named')
  })

  const SERVERS: readonly [string, Record<string, string>][] = [
    ['allows only some directories', { DROVER_SERVER_ALLOWED_WORKDIR_PREFIXES: '/srv' }],
    ['is behind a proxy', { DROVER_SERVER_TRUSTED_PROXIES: '127.0.0.1' }],
  ]

  it.runIf(IS_FULL).each(SERVERS)('is not answered by a client of a server that %s', async (_name, settings) => {
    const { driving, drover } = createDetached({ orient: [ASKING, {}] })
    const port = await portOf(serveDrover(['--port', '0'], { ...driving.env, ...settings }))
    const id = runIdIn((await drover('drive', GOAL, '--no-review', '--detach')).stdout)
    const { change, reaches } = runClient((path, options) => ask({ port, path, ...options }))
    await reaches(id, 'waiting')
    const refused = { status: 400, body: { error: 'drive_repository_not_named' } }
    expect(await change(id, 'answer', { text: 'Knots.' })).toMatchObject(refused)
    await drover('stop', id)
  })
})

describe('a server that is started again', { timeout: 60_000 }, () => {
  it('continues its run after it was killed, and loses or repeats nothing', async () => {
    const { driving, start } = createServedDriving({ orient: [{ pause: 400 }] })
    const first = await start()
    const { id } = await first.start()
    const before: string[] = []
    let serving = first
    for (const attempts of [1, 3]) {
      await until(() => dataOf(driving.records(id), 'attempt_started').length >= attempts)
      serving.child.kill('SIGKILL')
      await serving.ended
      const now = driving.records(id).map((each) => JSON.stringify(each))
      expect(now.slice(0, before.length)).toEqual(before)
      before.splice(0, before.length, ...now)
      serving = await start()
    }
    expect(await serving.reaches(id, 'ended')).toMatchObject({ delivered: { as: 'branch' } })
    const records = driving.records(id)
    const numbers = dataOf(records, 'attempt_started').map(({ attempt }) => attempt)
    expect(dataOf(records, 'attempt_ended').map(({ attempt }) => attempt)).toEqual(numbers)
    expect(dataOf(records, 'attempt_ended').map(({ how }) => how)).toContain('unknown')
    expect(driving.calls().length).toBeLessThanOrEqual(numbers.length)
  })

  it.runIf(IS_FULL)('is interrupted, and has no error, if it is stopped while its driver waits for git', async () => {
    const { driving, start } = createServedDriving()
    const [bin = '', ...others] = driving.env.PATH.split(':')
    const [git, hangs] = [join(bin, 'git'), join(driving.scratch, 'hangs')]
    const hang = `test -e '${hangs}' && case "$*" in *for-each-ref*)
      echo asked > '${hangs}'
      while test -e '${hangs}'; do sleep 0.1; done
      exit 1
    esac`
    writeFileSync(git, `#!/bin/sh\nPATH='${others.join(':')}'\n${hang}\nexec git "$@"\n`, { mode: 0o755 })
    const server = await start()
    const { id } = await server.start()
    await until(() => dataOf(driving.records(id), 'attempt_started').length > 0)
    writeFileSync(hangs, '')
    await until(() => readFileSync(hangs, 'utf8') !== '')
    server.child.kill('SIGTERM')
    await until(() => server.heard.stderr.includes('stopping'))
    rmSync(hangs)
    expect(await server.ended).toBe(0)
    expect(server.heard.stdout + server.heard.stderr).not.toMatch(/Fault|"level":"error"/)
    rmSync(git)
    const next = await start()
    expect(await next.reaches(id, 'ended')).toMatchObject({ delivered: { as: 'branch' } })
  })

  it.runIf(IS_FULL)('interrupts its run when it is stopped, and continues it, but not one that waits', async () => {
    const { driving, start } = createServedDriving({ orient: [ASKING, { hangs: true }, {}] })
    const first = await start()
    const waiting = await first.start()
    await first.reaches(waiting.id, 'waiting')
    const { id } = await first.start()
    await until(() => driving.calls().length === 2)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(dataOf(driving.records(id), 'attempt_ended')).toMatchObject([{ how: 'cancelled' }])
    const second = await start()
    expect(await second.reaches(id, 'ended')).toMatchObject({ delivered: { as: 'branch' } })
    expect(await second.show(waiting.id)).toMatchObject({ state: 'waiting' })
    expect(dataOf(driving.records(waiting.id), 'drive_resumed')).toEqual([])
  })
})
