/** The runs and executions of the user, as a program reads and changes them. */
import { realpathSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDrover, type DrivenRun, type DroverError, type DroverOptions } from '../../src/library/drover.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { runAt, temporaryDirectory } from '../support/run-drover.ts'
import { runClient } from '../support/served-runs.ts'
import { ask } from '../support/start-server.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { until } from '../support/until.ts'

const ENV = { PATH: '/usr/bin:/bin', DEMO_AGENT_WORD_MS: '0' }

function open(options: DroverOptions = {}) {
  const drover = createDrover({ home: temporaryDirectory(), env: ENV, demo: true, configFile: false, ...options })
  onTestFinished(() => drover.close())
  return drover
}

function repositoryOfWind(): string {
  const { root, write, commit } = createRepository()
  write('wind.txt', 'wind: 42 km/h\n')
  commit()
  return realpathSync(root)
}

async function failure(promise: Promise<unknown>): Promise<DroverError> {
  return await promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )
}

async function all<E>(events: AsyncIterable<E>): Promise<E[]> {
  const found: E[] = []
  for await (const event of events) found.push(event)
  return found
}

describe('executions', () => {
  it('are listed, read and followed, with the messages of the HTTP API', async () => {
    const drover = open()
    const { execution_id: id = '' } = await drover.prompt({ prompt: 'say hello', backend: 'claude' }).result
    await drover.prompt({ prompt: 'say more', backend: 'gemini' }).result
    const { executions } = await drover.executions.list({ backend: 'claude' })
    expect(executions).toMatchObject([{ id, state: 'completed', kind: 'prompt', prompt_start: 'say hello' }])
    const page = await drover.executions.list({ limit: 1 })
    expect(page.executions).toMatchObject([{ backend: 'gemini' }])
    expect((await drover.executions.list({ before: page.next ?? '' })).executions).toEqual(executions)
    const execution = await drover.executions.get(id)
    expect(execution.result).toMatchObject({ output: expect.stringContaining('say hello') })
    const events = await all(drover.executions.follow(id))
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: execution.last_seq }, (_, at) => at + 1))
    expect(await all(drover.executions.follow(id, { after: execution.last_seq - 1 }))).toEqual(events.slice(-1))
    expect(await all(drover.executions.follow(id, { after: execution.last_seq }))).toEqual([])
    const server = await drover.serve({ port: 0 })
    const overHttp = async (path: string) => await (await fetch(`${server.url}/api/v1/executions${path}`)).json()
    expect(await overHttp(`/${id}`)).toEqual(execution)
    expect(await overHttp('?backend=claude')).toEqual({ executions })
  })

  it('are canceled, also by another program, and followed until then', async () => {
    const home = temporaryDirectory()
    const [drover, other] = [open({ home, env: { ...ENV, DEMO_AGENT_WORD_MS: '60000' } }), open({ home })]
    const run = drover.prompt({ prompt: 'say hello', backend: 'claude' })
    const result = failure(run.result)
    const running = await until(async () => {
      const { executions } = await other.executions.list({ state: 'running' })
      return executions[0]
    })
    const states: unknown[] = []
    for await (const { type, content } of other.executions.follow(running.id)) {
      if (type !== 'state') continue
      states.push(content['state'])
      if (content['state'] === 'running') await other.executions.cancel(running.id)
    }
    expect(states).toEqual(['queued', 'running', 'cancelled'].slice(-states.length))
    expect(await result).toMatchObject({ code: 'agent_cancelled' })
    expect(await failure(other.executions.cancel(running.id))).toMatchObject({ code: 'execution_ended' })
  })

  it('do not end when a reader stops', async () => {
    const drover = open({ env: { ...ENV, DEMO_AGENT_WORD_MS: '20' } })
    const run = drover.prompt({ prompt: 'say hello', backend: 'claude' })
    const { id } = await until(async () => (await drover.executions.list({ state: 'running' })).executions[0])
    for await (const _ of drover.executions.follow(id)) break
    const controller = new AbortController()
    controller.abort()
    expect(await all(drover.executions.follow(id, { signal: controller.signal }))).toEqual([])
    expect((await run.result).output).toContain('say hello')
  })

  it('are refused if they are missing, or asked for in an unknown way', async () => {
    const drover = open()
    expect(await failure(drover.executions.get(`exec_${'0'.repeat(24)}`))).toMatchObject({
      code: 'execution_not_found',
    })
    expect(await failure(all(drover.executions.follow(`exec_${'0'.repeat(24)}`)))).toMatchObject({
      name: 'DroverError',
    })
    expect(await failure(drover.executions.list({ states: 'x' } as object))).toMatchObject({ code: 'message_invalid' })
    expect(await failure(all(drover.executions.follow('x', { from: 1 } as object)))).toMatchObject({
      code: 'option_unknown',
    })
  })
})

describe('a drive', () => {
  it('says why its work is not delivered, in its record and where the run is shown', async () => {
    const drover = open()
    const goal = 'Show the wind in knots'
    const options = { directory: repositoryOfWind(), backend: 'claude', review: false, rounds: 0, checks: ['false'] }
    const run = drover.drive({ ...options, goal })
    const records = await all(run)
    const { verdict, state, delivered, run_id: id } = await run.result
    expect([verdict.word, state, delivered?.as]).toEqual(['not delivered', 'ended', 'branch'])
    expect(delivered?.note).toBe(verdict.reason)
    expect(records.find(({ type }) => type === 'delivered')?.data).toEqual(delivered)
    expect((await drover.runs.get(id)).delivered).toEqual(delivered)
  })

  it.runIf(IS_FULL)('says so too if it works in place', async () => {
    const options = { directory: repositoryOfWind(), backend: 'claude', review: false, rounds: 0, in_place: true }
    const { delivered } = await open().drive({ ...options, goal: 'Show the wind', checks: ['false'] }).result
    expect(delivered?.note).toMatch(/^the check false .*; the changes are in /)
  })

  it.each([
    ['please be logged out', {}, { state: 'paused', pause_reason: 'agent_failed', error_code: 'agent_auth_failed' }],
    ['ask me', {}, { state: 'waiting', pause_reason: 'decision_required' }],
    ['Show the wind', { max_tokens: 1 }, { state: 'paused', pause_reason: 'max_tokens' }],
  ])('that has not ended says why in codes: %s', async (goal, limits, codes) => {
    const drover = open()
    const options = { directory: repositoryOfWind(), backend: 'claude', review: false, ...limits }
    const { run_id: id, state, pause_reason, error_code } = await drover.drive({ goal, ...options }).result
    const found = { state, ...(pause_reason && { pause_reason }), ...(error_code && { error_code }) }
    expect(found).toEqual(codes)
    const shown = await drover.runs.get(id)
    expect([shown.state, shown.pause?.reason ?? shown.waits_for?.reason]).toEqual([state, pause_reason])
  })
})

describe('runs', () => {
  it('are listed, read, compared with their base, reported and followed, with the messages of the HTTP API', async () => {
    const drover = open()
    const repository = repositoryOfWind()
    const goal = 'Show the wind in knots'
    const { run_id: id } = await drover.drive({ goal, directory: repository, backend: 'claude', review: false }).result
    const { runs } = await drover.runs.list({ state: 'ended,merged', repository })
    expect(runs).toMatchObject([{ id, goal, state: 'ended', verdict: { word: expect.stringContaining('delivered') } }])
    expect(await drover.runs.list({ state: 'waiting' })).toMatchObject({ runs: [] })
    const run = await drover.runs.get(id.slice(0, 12))
    expect(run.attempts?.map(({ action_kind, how }) => [action_kind, how])).toContainEqual(['implement', 'answered'])
    const implemented = run.attempts?.find(({ action_kind }) => action_kind === 'implement')
    expect(implemented?.evidence?.claims).not.toEqual([])
    expect(run.report).toContain(goal)
    expect(await drover.executions.get(implemented?.execution_id ?? '')).toMatchObject({ state: 'completed' })
    const diff = await drover.runs.diff(id)
    expect(diff).toMatchObject({ id, files: [{ path: 'drover-demo.md' }], patch: expect.stringContaining(goal) })
    expect(await drover.runs.diff(id, { files_only: true })).toMatchObject({ files: diff.files, patch: '' })
    const { repositories } = await drover.runs.report()
    expect(repositories).toMatchObject([{ repository, report: { runs: [{ run_id: id }] } }])
    expect((await drover.runs.report({ since: '2999-01-01T00:00:00Z' })).repositories).toEqual([])
    const events = await all(drover.runs.follow(id))
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['drive_started', 'delivered', 'state']))
    expect(await all(drover.runs.follow(id, { after: run.last_seq }))).toMatchObject([{ type: 'state' }])
    const { url } = await drover.serve({ port: 0 })
    const client = runClient((path, options) =>
      ask({ host: '127.0.0.1', port: Number(new URL(url).port), path, ...options }),
    )
    expect(await client.show(id)).toEqual(run)
    expect(await client.list()).toEqual(await drover.runs.list())
    const merged = await drover.act({ run: id, directory: run.repository, do: 'merge' })
    expect(merged.verdict.word).toBe('merged')
    expect(await drover.runs.get(id)).toMatchObject({ state: 'merged' })
  }, 60_000)

  it('that wait are answered, and driven on in this program', async () => {
    const drover = open()
    const directory = repositoryOfWind()
    const asked = await drover.drive({ goal: 'Ask me about the wind', directory, backend: 'claude', review: false })
      .result
    const waiting = await drover.runs.get(asked.run_id)
    expect(waiting).toMatchObject({
      state: 'waiting',
      waits_for: { question: asked.question, choices: ['answer', 'skip', 'stop'] },
    })
    expect(await failure(drover.runs.answer(waiting.id, { text: 'Knots', action_id: 'another' }))).toBeInstanceOf(Error)
    expect(await drover.runs.answer(waiting.id, { text: 'Knots' })).toMatchObject({ driven_by: 'this_server' })
    const states: unknown[] = []
    for await (const { type, data } of drover.runs.follow(waiting.id)) if (type === 'state') states.push(data['state'])
    expect(states.at(-1)).toBe('ended')
    expect(await drover.runs.get(waiting.id)).toMatchObject({ state: 'ended', answers: [{ text: 'Knots' }] })
  }, 60_000)

  it.runIf(IS_FULL)(
    'are stopped, by another program too',
    async () => {
      const home = temporaryDirectory()
      const [drover, other] = [open({ home, env: { ...ENV, DEMO_AGENT_WORD_MS: '60000' } }), open({ home })]
      const run = drover.drive({
        goal: 'Show the wind',
        directory: repositoryOfWind(),
        backend: 'claude',
        review: false,
      })
      const working = await until(async () => {
        const [found] = (await other.runs.list()).runs
        return found?.state === 'running' ? found : undefined
      })
      const stopped: DrivenRun = await other.runs.stop(working.id)
      expect(stopped.id).toBe(working.id)
      expect((await run.result).verdict).toMatchObject({ word: 'waits for you', reason: 'the run was stopped' })
      expect(await other.runs.get(working.id)).toMatchObject({ state: 'stopped' })
    },
    60_000,
  )

  it.runIf(IS_FULL)(
    'that are driven on are interrupted by close, and can be continued',
    async () => {
      const home = temporaryDirectory()
      const directory = repositoryOfWind()
      const first = open({ home })
      const { run_id: id } = await first.drive({ goal: 'Ask me first', directory, backend: 'claude', review: false })
        .result
      const slow = open({ home, env: { ...ENV, DEMO_AGENT_WORD_MS: '60000' } })
      await slow.runs.answer(id, { text: 'Knots.' })
      await slow.close()
      expect(await first.runs.get(id)).toMatchObject({ state: 'interrupted' })
      expect(await failure(slow.runs.list())).toMatchObject({ code: 'drover_closed' })
      expect((await first.drive({ run: id, directory }).result).verdict.word).toContain('delivered')
      expect(await runAt(directory, ['git', 'status', '--porcelain'], {})).toMatchObject({ stdout: '' })
    },
    60_000,
  )

  it('are refused if they are missing, or asked for in an unknown way', async () => {
    const drover = open()
    expect(await failure(drover.runs.get('nope'))).toMatchObject({
      code: 'driven_run_not_found',
      message: expect.stringContaining('(in a program: drover.runs.list())'),
    })
    expect(await failure(drover.runs.list({ state: 'odd' }))).toMatchObject({ code: 'message_invalid' })
    expect(await failure(drover.runs.answer('nope', {} as never))).toMatchObject({ code: 'message_invalid' })
    expect(await failure(all(drover.runs.follow('nope')))).toMatchObject({ code: 'driven_run_not_found' })
  })
})
