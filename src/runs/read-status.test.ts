import { appendFileSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRunContext } from '../../test/support/create-run-context.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { toJournalPath } from '../journal/run-store.ts'
import { digest } from '../kit/digest.ts'
import { takeLock } from '../kit/files/lock.ts'
import { skipAction, stopRun } from './operations.ts'
import { listRuns, outlineRun, outlineRuns, showStatus } from './read-status.ts'
import type { RunContext } from './run-context.ts'
import { startRun } from './start-run.ts'

const begin = async (context: RunContext) =>
  (await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: true })).run_id

/** The context at another time. */
const at = (context: RunContext, moment: string, uuid?: string): RunContext => ({
  ...context,
  clock: { now: () => new Date(moment) },
  ...(uuid !== undefined && { ids: { ...context.ids, uuid: () => uuid } }),
})

describe('the list of runs', () => {
  it('is empty without runs, and creates no files', async () => {
    const context = await createRunContext()
    expect(await listRuns(context)).toEqual({ contract_version: 2, runs: [], unavailable_runs: [] })
    expect(readdirSync(context.workspace.git_dir)).not.toContain('drover')
  })

  it('is sorted by age, then by id', async () => {
    const context = await createRunContext()
    await begin(at(context, '2026-01-02T00:00:00Z', 'c'))
    await begin(at(context, '2026-01-03T00:00:00Z', 'a'))
    await begin(at(context, '2026-01-02T00:00:00Z', 'b'))
    expect((await listRuns(context)).runs.map(({ id }) => id)).toEqual(['b', 'c', 'a'])
  })

  it('has a stub with the state of a run of another worktree', async () => {
    const context = await createRunContext()
    const id = await begin(context)
    await stopRun(context, id)
    const [stub] = (await listRuns({ ...context, workspace: { ...context.workspace, id: digest('other') } })).runs
    expect(Object.keys(stub ?? {}).sort()).toEqual([
      ...['contract_version', 'created_at', 'goal', 'id', 'next', 'state', 'workspace', 'workspace_foreign'],
      'workspace_identity',
    ])
    expect(stub).toMatchObject({ id, state: 'stopped', workspace_foreign: true })
  })

  it.each<[string, (path: string) => void, string]>([
    ['has a damaged journal', (path) => appendFileSync(path, '{}\n'), 'run_journal_invalid'],
    ['has lost its journal', (path) => rmSync(path), 'run_journal_invalid'],
  ])('has a run that %s among the unavailable runs', async (_name, damage, code) => {
    const context = await createRunContext()
    const [sound, damaged] = [await begin(context), await begin(context)]
    damage(toJournalPath(context.store, damaged))
    const { runs, unavailable_runs } = await listRuns(context)
    expect(runs.map(({ id }) => id)).toEqual([sound])
    expect(unavailable_runs).toEqual([{ id: damaged, code, detail: expect.stringMatching(/^\P{Cc}+$/u) }])
  })

  it('gives the reason in one line, whatever the path', async () => {
    const at = join(realpathSync(temporaryDirectory()), 'line\nend')
    const context = await createRunContext(createRepository({ at }))
    writeFileSync(toJournalPath(context.store, await begin(context)), '')
    const [unavailable] = (await listRuns(context)).unavailable_runs
    expect(unavailable?.detail).toContain('line end')
  })

  it('has entries that only look like runs among the unavailable runs, by id', async () => {
    const context = await createRunContext()
    const runs = join(toJournalPath(context.store, await begin(context)), '..', '..')
    writeFileSync(join(runs, 'z-file'), '')
    mkdirSync(join(runs, 'a-directory'))
    writeFileSync(join(runs, 'not.an.id'), '')
    const { unavailable_runs } = await listRuns(context)
    expect(unavailable_runs.map(({ id, code }) => [id, code])).toEqual([
      ['a-directory', 'run_journal_invalid'],
      ['z-file', 'run_unavailable'],
    ])
  })

  it('throws if drover is interrupted', async () => {
    const context = await createRunContext()
    await begin(context)
    const interrupted = { ...context, signal: AbortSignal.abort() }
    await expect(listRuns(interrupted)).rejects.toMatchObject({ code: 'run_interrupted' })
  })

  it('waits for all busy runs together', async () => {
    const context = await createRunContext(undefined, { lockWaitMs: 300 })
    const ids = [await begin(context), await begin(context), await begin(context)]
    const locks = await Promise.all(
      ids.map((id) => takeLock({ path: join(toJournalPath(context.store, id), '..', 'run.lock'), mode: 'exclusive' })),
    )
    const { unavailable_runs } = await listRuns(context)
    for (const lock of locks) lock.release()
    expect(unavailable_runs.map(({ code }) => code)).toEqual(['run_busy', 'run_busy', 'run_busy'])
  })
})

describe('an outline', () => {
  it('is the status without the texts of actions', async () => {
    const context = await createRunContext(undefined, { version: '1.2.3' })
    const { run_id: id, action } = await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: true })
    await skipAction(context, id, action?.action_id ?? '')
    const { actions, ...rest } = await showStatus(context, id)
    const slim = actions.map((record) => ({ ...record, action: pick(record.action) }))
    expect(await outlineRun(context, id)).toEqual({ ...rest, actions: slim })
    expect(await outlineRuns(context)).toEqual({ runs: [{ ...rest, actions: slim }], unavailable_runs: [] })
  })
})

function pick({ action_id, kind }: { action_id: string; kind: string }) {
  return { action_id, kind }
}
