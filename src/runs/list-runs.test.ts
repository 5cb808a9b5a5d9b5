import { appendFileSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { openSite } from '../../test/support/worksite.ts'
import { journalPathOf } from '../journal/run-store.ts'
import { digest } from '../kit/digest.ts'
import { takeLock } from '../kit/files/lock.ts'
import { listRuns, outlineRuns } from './list-runs.ts'
import { outlineRun, showStatus } from './show-status.ts'
import { skipAction } from './skip-action.ts'
import { startRun } from './start-run.ts'
import { stopRun } from './stop-run.ts'
import type { Worksite } from './worksite.ts'

const begin = async (site: Worksite) =>
  (await startRun(site, { goal: 'A goal', budget: 8, reviewEnabled: true })).run_id

/** The site at another time, so that what begins there is older or younger. */
const at = (site: Worksite, moment: string, uuid?: string): Worksite => ({
  ...site,
  clock: { now: () => new Date(moment) },
  ...(uuid !== undefined && { ids: { ...site.ids, uuid: () => uuid } }),
})

describe('the list of runs', () => {
  it('is empty where there are none, and makes nothing', async () => {
    const site = await openSite()
    expect(await listRuns(site)).toEqual({ contract_version: 2, runs: [], unavailable_runs: [] })
    expect(readdirSync(site.workspace.git_dir)).not.toContain('drover')
  })

  it('has the oldest first, and of the same age the lower id', async () => {
    const site = await openSite()
    await begin(at(site, '2026-01-02T00:00:00Z', 'c'))
    await begin(at(site, '2026-01-03T00:00:00Z', 'a'))
    await begin(at(site, '2026-01-02T00:00:00Z', 'b'))
    expect((await listRuns(site)).runs.map(({ id }) => id)).toEqual(['b', 'c', 'a'])
  })

  it('shows of a run of another worktree that it exists, and where it stands', async () => {
    const site = await openSite()
    const id = await begin(site)
    await stopRun(site, id)
    const [stub] = (await listRuns({ ...site, workspace: { ...site.workspace, id: digest('other') } })).runs
    expect(Object.keys(stub ?? {}).sort()).toEqual([
      ...['contract_version', 'created_at', 'goal', 'id', 'next', 'state', 'workspace', 'workspace_foreign'],
      'workspace_identity',
    ])
    expect(stub).toMatchObject({ id, state: 'stopped', workspace_foreign: true })
  })

  it.each<[string, (path: string) => void, string]>([
    ['has a damaged journal', (path) => appendFileSync(path, '{}\n'), 'run_journal_invalid'],
    ['has lost its journal', (path) => rmSync(path), 'run_journal_invalid'],
  ])('has a run that %s among the unavailable ones', async (_name, damage, code) => {
    const site = await openSite()
    const [sound, damaged] = [await begin(site), await begin(site)]
    damage(journalPathOf(site.store, damaged))
    const { runs, unavailable_runs } = await listRuns(site)
    expect(runs.map(({ id }) => id)).toEqual([sound])
    expect(unavailable_runs).toEqual([{ id: damaged, code, detail: expect.stringMatching(/^\P{Cc}+$/u) }])
  })

  it('says in one line what is in the way, whatever the path', async () => {
    const at = join(realpathSync(temporaryDirectory()), 'line\nend')
    const site = await openSite(createRepository({ at }))
    writeFileSync(journalPathOf(site.store, await begin(site)), '')
    const [unavailable] = (await listRuns(site)).unavailable_runs
    expect(unavailable?.detail).toContain('line end')
  })

  it('has what only looks like a run among them too, by id', async () => {
    const site = await openSite()
    const runs = join(journalPathOf(site.store, await begin(site)), '..', '..')
    writeFileSync(join(runs, 'z-file'), '')
    mkdirSync(join(runs, 'a-directory'))
    writeFileSync(join(runs, 'not.an.id'), '')
    const { unavailable_runs } = await listRuns(site)
    expect(unavailable_runs.map(({ id, code }) => [id, code])).toEqual([
      ['a-directory', 'run_journal_invalid'],
      ['z-file', 'run_unavailable'],
    ])
  })

  it('is not there at all when drover is interrupted', async () => {
    const site = await openSite()
    await begin(site)
    const interrupted = { ...site, signal: AbortSignal.abort() }
    await expect(listRuns(interrupted)).rejects.toMatchObject({ code: 'run_interrupted' })
  })

  it('waits for all busy runs together', async () => {
    const site = await openSite(undefined, { lockWaitMs: 300 })
    const ids = [await begin(site), await begin(site), await begin(site)]
    const locks = await Promise.all(
      ids.map((id) => takeLock({ path: join(journalPathOf(site.store, id), '..', 'run.lock'), mode: 'exclusive' })),
    )
    const { unavailable_runs } = await listRuns(site)
    for (const lock of locks) lock.release()
    expect(unavailable_runs.map(({ code }) => code)).toEqual(['run_busy', 'run_busy', 'run_busy'])
  })
})

describe('an outline', () => {
  it('is the status, but for the texts of the actions', async () => {
    const site = await openSite(undefined, { version: '1.2.3' })
    const { run_id: id, action } = await startRun(site, { goal: 'A goal', budget: 8, reviewEnabled: true })
    await skipAction(site, id, action?.action_id ?? '')
    const { actions, ...rest } = await showStatus(site, id)
    const slim = actions.map((record) => ({ ...record, action: pick(record.action) }))
    expect(await outlineRun(site, id)).toEqual({ ...rest, actions: slim })
    expect(await outlineRuns(site)).toEqual({ runs: [{ ...rest, actions: slim }], unavailable_runs: [] })
  })
})

function pick({ action_id, kind }: { action_id: string; kind: string }) {
  return { action_id, kind }
}
