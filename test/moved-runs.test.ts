/** Driven runs that continue on another machine when theirs is gone. Its disk is gone too: the paths are the same, and nothing is there. */

import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DrivenRun } from '../src/drive/service/driven-run.shape.ts'
import { createDriving } from './support/driven-agents.ts'
import { type DrivenScript, dataOf } from './support/driven-home.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { type Serving, startDrover } from './support/serve-drover.ts'
import { runClient } from './support/served-runs.ts'
import { startServer } from './support/start-server.ts'
import { until } from './support/until.ts'

const KEYS = { DROVER_API_KEYS: 'key-of-the-test-of-moves' }

async function createMachines(script: DrivenScript, drive: object = { move_after_secs: 1 }) {
  const url = await createPostgresDatabase()
  const driving = createDriving(script)
  const repository = driving.repository.root
  const settings = {
    drive: { repositories: [repository], checks: ['sh check.sh'], ...drive },
    warm: { enabled: false },
  }
  driving.configure(JSON.stringify(settings))
  const server = await startServer({
    ...{ agents: 'none' as const, isWorker: false, env: KEYS },
    postgres: { url, machine: 'door', deadAfterMs: 2000 },
  })
  await server.context.drover.opened.sessions.owner()
  const client = runClient((path, request) => server.request(path, request), { 'x-api-key': KEYS.DROVER_API_KEYS })
  const work = async (machine: string): Promise<Serving> => {
    const env = { DROVER_STORE_MACHINE: machine, DROVER_STORE_DEAD_AFTER_SECS: '2', DROVER_API_KEYS: '' }
    const serving = startDrover(['work', '--store', url], { ...driving.env, ...env })
    await until(() => serving.heard.stdout.includes('Press Ctrl-C'))
    return serving
  }
  /** Every machine begins with the disk as it is now. */
  const parts = ['weather', 'home']
  const at = (machine: string, part: string) => join(driving.scratch, `${machine}-${part}`)
  for (const part of parts) cpSync(join(driving.scratch, part), at('clean', part), { recursive: true })
  /** Takes the disk of one machine away, and puts that of another in its place. */
  const changeDisks = (from: string, to: string) => {
    for (const part of parts) {
      const place = join(driving.scratch, part)
      renameSync(place, at(from, part))
      if (existsSync(at(to, part))) renameSync(at(to, part), place)
      else cpSync(at('clean', part), place, { recursive: true })
    }
  }
  return { url, driving, client, work, changeDisks }
}

const kill = async ({ child, ended }: Serving) => {
  child.kill('SIGKILL')
  await ended
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)('a driven run whose machine is gone', () => {
  it('continues with its work on another machine, and its own machine leaves it alone after that', async () => {
    const { driving, client, work, changeDisks } = await createMachines({ review: [{ hangs: true }, {}] })
    const one = await work('one')
    const { id } = await client.start({ review: true })
    await until(() => driving.calls().some(({ kind }) => kind === 'review'))
    await until(async () => (await client.show(id)).attempts?.at(-1)?.action_kind === 'review')
    await kill(one)
    changeDisks('one', 'two')
    expect(await client.reaches(id, 'interrupted')).toMatchObject({ machine: 'one', is_machine_gone: true })

    const two = await work('two')
    const run = await client.reaches(id, 'ended')
    expect(run).toMatchObject({ machine: 'two', verdict: { word: 'delivered', exit_code: 0 } })
    expect(run.report).toContain('Continued on two')
    expect(driving.repository.git('show', `${run.delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
    // The work was done once, and the review, whose session is lost, from its beginning.
    const kinds = driving.calls().map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'implement')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 'review')).toHaveLength(2)
    expect(driving.calls().at(-1)?.resumed).toBeUndefined()
    const events = driving.records(id)
    expect(dataOf(events, 'moved')).toEqual([{ from: 'one', to: 'two' }])
    const shown = (await client.events(id)).filter(({ seq }) => seq !== undefined)
    expect(shown.map(({ seq, type }) => [seq, type])).toEqual(events.map(({ type }, index) => [index + 1, type]))
    two.child.kill('SIGINT')
    await two.ended

    changeDisks('two', 'one')
    const back = await work('one')
    await until(() => back.heard.stderr.includes('another machine has continued a run'))
    expect(await client.show(id)).toMatchObject({ machine: 'two', state: 'ended' })
    expect(driving.calls()).toHaveLength(kinds.length)
    expect(driving.repository.git('worktree', 'list').split('\n').filter(Boolean)).toHaveLength(2)
  })

  it.runIf(IS_FULL)(
    'waits for its machine if the setting does not allow more, or if it has not the same paths',
    async () => {
      const { url, driving, client, work, changeDisks } = await createMachines({ implement: [{ hangs: true }] })
      const one = await work('one')
      const { id } = await client.start()
      await until(() => driving.calls().some(({ kind }) => kind === 'implement'))
      await until(async () => (await client.show(id)).attempts?.at(-1)?.action_kind === 'implement')
      await kill(one)
      changeDisks('one', 'two')
      const config = join(driving.home, '.drover', 'config.yaml')
      const settings = JSON.parse(readFileSync(config, 'utf8'))
      const moves = (secs: number, home: string) => {
        writeFileSync(config, JSON.stringify({ ...settings, drive: { ...settings.drive, move_after_secs: secs } }))
        driving.env.DROVER_HOME = home
      }
      moves(0, driving.env.DROVER_HOME)
      const off = await work('two')
      expect(await client.reaches(id, 'interrupted')).toMatchObject({ machine: 'one' })
      off.child.kill('SIGINT')
      await off.ended
      const [{ content = '' } = {}] = await runSql(url, 'SELECT content FROM driven_run_copies')
      const elsewhere = JSON.stringify({ ...JSON.parse(String(content)), root: '/srv/other/tree/weather' })
      await runSql(url, 'UPDATE driven_run_copies SET content = $1', [elsewhere])
      moves(1, driving.env.DROVER_HOME)
      const on = await work('two')
      await until(() => on.heard.stderr.includes('cannot continue here'))
      expect(await client.show(id)).toMatchObject({ machine: 'one', state: 'interrupted' } satisfies Partial<DrivenRun>)
      await runSql(url, 'UPDATE driven_run_copies SET content = $1', [String(content)])
      driving.rewrite({})
      expect(await client.reaches(id, 'ended')).toMatchObject({ machine: 'two' })
      expect(await runSql(url, 'SELECT run FROM driven_run_copies')).toEqual([])
    },
  )
})
