import { describe, expect, it } from 'vitest'
import type { KnownWorker } from '../../executions/store/work-queue.ts'
import { isForgotten, isUpToDate } from './publish-runs.ts'
import { drivable, orderDrivers, partOfDiff, toShownRun } from './shared-view.ts'

const NOW = new Date('2026-01-31T12:00:00.000Z')
const RUNNING = {
  word: 'running',
  line: 'running',
  reason: '',
  next: 'drover status r --watch',
  look_first: [],
  exists: {},
}

const shared = (run: object, facts: object = {}) => ({
  id: 'r',
  machine: 'one',
  askedBy: 'client',
  apiKey: undefined,
  keyId: undefined,
  state: 'running',
  lastSeq: 3,
  isDriven: true,
  isMachineGone: false,
  document: JSON.stringify({
    ...{ id: 'r', goal: 'g', title: 'g', choices: ['skip', 'stop'], state: 'running' },
    ...{ updated_at: '2026-01-31T10:00:00.000Z', verdict: RUNNING },
    ...run,
  }),
  ...facts,
})

describe('partOfDiff', () => {
  const one = 'diff --git a/a b/a\n@@ -0,0 +1 @@\n+diff --git a/x b/x\n'
  const other = 'diff --git a/b b/b\n@@ -0,0 +1 @@\n+b\n'
  const files = ['a', 'b'].map((path) => ({ path, insertions: 1, deletions: 0 }))
  const diff = { id: 'r', base: '0', branch: 'b', files, patch: one + other, is_cut: false }

  it('has one file, or none, and says whether its patch is whole', () => {
    expect(partOfDiff(diff)).toEqual(diff)
    expect(partOfDiff(diff, { filesOnly: true })).toEqual({ ...diff, patch: '', is_cut: false })
    expect(partOfDiff(diff, { path: 'a' })).toEqual({ ...diff, files: [files[0]], patch: one })
    expect(partOfDiff(diff, { path: 'b' })).toEqual({ ...diff, files: [files[1]], patch: other })
    const cut = { ...diff, is_cut: true }
    expect(partOfDiff(cut, { path: 'a' })).toMatchObject({ patch: one, is_cut: false })
    expect(partOfDiff(cut, { path: 'b' })).toMatchObject({ patch: other, is_cut: true })
    expect(partOfDiff({ ...cut, patch: one }, { path: 'b' })).toMatchObject({ patch: '', is_cut: true })
    expect(() => partOfDiff(diff, { path: 'c' })).toThrow('no changed file "c"')
  })
})

describe('toShownRun', () => {
  const attempts = [{ how: 'answered' }, { how: 'running' }]
  it.each([
    [
      'is driven',
      {},
      {},
      { state: 'running', driven_by: 'another_process', choices: ['skip', 'stop'], verdict: RUNNING },
    ],
    [
      'lost its driver',
      {},
      { isDriven: false },
      {
        ...{ state: 'interrupted', choices: ['resume', 'skip', 'stop'] },
        verdict: { word: 'not driven', line: 'not driven (killed 2 h ago): drover drive r', next: 'drover drive r' },
      },
    ],
    [
      'waited for a limit, and lost its driver',
      { state: 'waiting_for_limit', limit: { until: '2026-01-31T11:00:00.000Z' } },
      { isDriven: false },
      { state: 'interrupted', choices: ['resume', 'skip', 'stop'] },
    ],
    [
      'lost its machine',
      { attempts },
      { isDriven: false, isMachineGone: true },
      { state: 'interrupted', choices: [], is_machine_gone: true, attempts: [{ how: 'answered' }, { how: 'unknown' }] },
    ],
    [
      'waits, and lost its machine',
      { state: 'waiting', choices: ['answer'], waits_for: { question: '?', choices: ['answer'] } },
      { isDriven: false, isMachineGone: true },
      { state: 'waiting', choices: [], waits_for: { question: '?', choices: [] } },
    ],
    ['has ended', { state: 'ended', choices: [] }, { isDriven: false }, { state: 'ended', choices: [] }],
  ])('shows a run that %s', (_what, run, facts, expected) => {
    const shown = toShownRun(shared(run, facts), NOW)
    expect(shown).toMatchObject({ machine: 'one', ...expected })
    expect(['driven_by' in shown, 'limit' in shown]).toEqual(['driven_by' in expected, 'limit' in expected])
  })
})

describe('orderDrivers', () => {
  const worker = (machine: string, repositories: string[], backends = ['claude']): KnownWorker => ({
    ...{ machine, backends, repositories: [], slots: 1 },
    drive: { repositories, checks: [`check ${machine}`] },
  })
  const older: KnownWorker = { machine: 'old', backends: ['claude'], repositories: [], slots: 1 }
  const WORKERS = [
    { ...worker('b', ['/app']), labels: ['gpu'] },
    worker('a', ['/app', '/web'], ['codex']),
    worker('a', ['/app']),
    older,
  ]
  const order = (wanted: object, workers = WORKERS) =>
    orderDrivers(workers, {
      repository: '/app',
      backend: undefined,
      labelRules: [],
      load: new Map(),
      here: 'x',
      ...wanted,
    })

  it.each([
    ['by name', {}, ['a', 'b']],
    ['this machine first', { here: 'b' }, ['b', 'a']],
    ['the one that drives least', { here: 'a', load: new Map([['a', 1]]) }, ['b', 'a']],
    ['those with the backend', { repository: '/app', backend: 'codex' }, ['a']],
    ['any, if none has the backend', { backend: 'gemini' }, ['a', 'b']],
    ['those with the repository', { repository: '/web/' }, ['a']],
    ['those with the label of the repository', { labelRules: ['/app=gpu'] }, ['b']],
  ])('%s', (_what, wanted, machines) => {
    expect(order(wanted).machines).toEqual(machines)
  })

  it('finds the only repository, and needs a name for one of several', () => {
    expect(order({ repository: undefined }, [worker('b', ['/app'])])).toEqual({ repository: '/app', machines: ['b'] })
    expect(() => order({ repository: undefined })).toThrow('name the repository')
  })

  it('refuses a repository whose label no worker has', () => {
    expect(() => order({ labelRules: ['/app=arm'] })).toThrow('start drover work --label arm')
  })

  it('refuses a repository that no worker has', () => {
    expect(() => order({ repository: '/application' })).toThrow('start drover work there')
    expect(() => order({ repository: undefined }, [older])).toThrow('drive.repositories')
  })

  it('lists what all workers allow', () => {
    expect(drivable(WORKERS)).toEqual({ repositories: ['/app', '/web'], checks: ['check b', 'check a'] })
  })
})

describe('isUpToDate', () => {
  it.each([
    ['nothing changed', { mark: 'm', state: 'running' }, true, true],
    ['the run changed', { mark: 'before', state: 'running' }, true, false],
    ['another process drives it, which may have ended', { mark: 'm', state: 'running' }, false, false],
    ['it rests', { mark: 'm', state: 'waiting' }, false, true],
    ['a process before this one published it', { mark: '', state: 'waiting' }, false, false],
    ['the same, and it has ended', { mark: '', state: 'ended' }, false, true],
  ])('%s', (_what, known, isDrivenHere, expected) => {
    expect(isUpToDate({ lastSeq: 1, ...known }, { mark: 'm', isDrivenHere })).toBe(expected)
  })
})

describe('isForgotten', () => {
  const known = { mark: '', state: 'ended', lastSeq: 1 }
  it.each([
    ['it ended before', undefined, 'ended', '2026-01-01', true],
    ['it ended then', undefined, 'ended', '2026-01-02', false],
    ['it waits since before', undefined, 'waiting', '2026-01-01', false],
    ['it ended before, and is published', known, 'ended', '2026-01-01', false],
  ] as const)('%s', (_what, published, state, updated_at, expected) => {
    expect(isForgotten(published, { state, updated_at }, '2026-01-02')).toBe(expected)
  })
})
