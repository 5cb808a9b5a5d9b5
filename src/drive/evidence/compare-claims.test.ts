import { describe, expect, it } from 'vitest'
import { describeClaim } from '../prompt/follow-ups.ts'
import { claimText } from '../report-run.ts'
import { compareClaims, type ObservedWork, type Traced } from './compare-claims.ts'

const WORK: ObservedWork = {
  root: '/work',
  changed: ['src/wind.ts', 'src/new/knots.ts'],
  changedInRun: ['src/wind.ts', 'src/new/knots.ts', 'docs/wind.md'],
  isComplete: true,
  unread: [],
  ignored: ['dist/wind.js'],
  trace: [],
  checks: [],
}

const ran = (command: string, exit_code?: number, seq = 1): Traced => ({
  did: 'command',
  seq,
  command,
  execution_id: 'exec_1',
  ...(exit_code !== undefined && { exit_code }),
})

const claimsOf = (
  files: readonly string[],
  activities: readonly [string, number][],
  work: Partial<ObservedWork> = {},
) =>
  compareClaims(
    {
      result: 'applied',
      files_changed: files,
      activities: activities.map(([command, exit_code]) => ({ kind: 'test', command, exit_code, summary: '-' })),
      uncertainties: [],
      attempts: 1,
    },
    { ...WORK, ...work },
  )

const verdictOfFile = (path: string, work?: Partial<ObservedWork>) => claimsOf([path], [], work)[0]?.verdict

describe('a file that is reported as changed', () => {
  it.each([
    ['src/wind.ts', 'observed'],
    ['./src/wind.ts', 'observed'],
    ['/work/src/wind.ts', 'observed'],
    ['src/new', 'observed'],
    ['src/new/', 'observed'],
    ['src/other.ts', 'contradicted'],
    ['src/win', 'contradicted'],
    ['docs/wind.md', 'observed'],
    ['dist/wind.js', 'claimed'],
    ['/etc/passwd', 'claimed'],
    ['../other/file.ts', 'claimed'],
    ['..', 'claimed'],
    ['.', 'observed'],
  ])('%s: %s', (path, verdict) => {
    expect(verdictOfFile(path)).toBe(verdict)
  })

  it('is not contradicted if git could not observe everything', () => {
    expect(verdictOfFile('src/other.ts', { isComplete: false })).toBe('claimed')
    expect(verdictOfFile('src/other.ts', { unread: ['src/other.ts'] })).toBe('claimed')
    expect(verdictOfFile('src/other.ts', { unread: ['src/big.ts'] })).toBe('contradicted')
  })
})

describe('applied work without files', () => {
  it('is contradicted if git shows no change', () => {
    const claims = claimsOf([], [], { changed: [] })
    expect(claims).toMatchObject([{ verdict: 'contradicted' }])
    expect(claims.map(describeClaim)).toEqual([
      '- the result is "applied", but no file is reported and git shows no change',
    ])
    expect(claims.map(claimText)).toEqual(['the result is "applied"'])
    expect(claimsOf([], [], { changed: [], isComplete: false })).toEqual([])
    expect(claimsOf([], [], { changed: [], unread: ['a'] })).toEqual([])
    expect(claimsOf([], [])).toEqual([])
  })

  it('is not, if files are reported or nothing was applied', () => {
    expect(claimsOf(['docs/wind.md'], [], { changed: [] })).toHaveLength(1)
    const unable = { result: 'unable', files_changed: [], activities: [], uncertainties: [], attempts: 1 } as const
    expect(compareClaims({ ...unable, files_changed: [] }, { ...WORK, changed: [] })).toEqual([])
  })
})

describe('an activity', () => {
  const verdictOf = (exit: number, trace: readonly Traced[], checks: ObservedWork['checks'] = []) =>
    claimsOf(['src/wind.ts'], [['npm test', exit]], { trace, checks })[1]

  it.each([
    ['that no call shows', 0, [], 'claimed'],
    ['that a call shows', 0, [ran('npm test', 0)], 'observed'],
    ['that failed, as reported', 1, [ran('npm test', 1)], 'observed'],
    ['with another exit code', 0, [ran('npm test', 1)], 'contradicted'],
    ['that passed at last', 0, [ran('npm test', 1), ran('npm test', 0, 2)], 'observed'],
    ['that failed at last', 0, [ran('npm test', 0), ran('npm test', 1, 2)], 'contradicted'],
    ['without a visible exit code', 0, [ran('npm test')], 'claimed'],
    ['in a pipeline', 0, [ran('npm test | tail', 0)], 'claimed'],
    ['another command', 0, [ran('npm test -- one', 1)], 'claimed'],
    ['that failed, and then ran without a visible exit code', 0, [ran('npm test', 1), ran('npm test')], 'claimed'],
    [
      'beside an edit',
      0,
      [{ did: 'edit', seq: 1, paths: ['a'], execution_id: 'exec_1' }, ran('npm test', 0)],
      'observed',
    ],
  ])('%s', (_name, exit, trace, verdict) => {
    expect(verdictOf(exit, trace as Traced[])).toMatchObject({ verdict })
  })

  it.each([
    ['no tool call shows it', [ran('ls', 0)]],
    ['a tool call shows exit code 1', [ran('npm test', 1)]],
    ['a tool call shows exit code 0 in `cd web && npm test`', [ran('cd web && npm test', 0)]],
    ['it was seen, but the agent does not show its exit code', [ran('npm test')]],
    [
      'it was seen in `npm test | tail`, which ended with exit code 0; that is not certainly its own',
      [ran('npm test | tail', 0)],
    ],
    [
      `it was seen in \`npm test | tail ${'x'.repeat(184)}\`, which ended with exit code 0; that is not certainly its own`,
      [ran(`npm test | tail ${'x'.repeat(300)}`, 0)],
    ],
  ])('says %s', (note, trace) => {
    expect(verdictOf(0, trace)?.note).toBe(note)
  })

  it('is not contradicted by a check of drover whose exit code may be that of another command', () => {
    expect(verdictOf(0, [], [{ command: 'npm test | tail', exit_code: 1 }])).toMatchObject({ verdict: 'claimed' })
  })

  it('that is reported again later is not judged by a check of drover, which ran at last', () => {
    const twice: [string, number][] = [
      ['npm test', 1],
      ['npm test', 0],
    ]
    const claims = claimsOf(['src/wind.ts'], twice, { checks: [{ command: 'npm test', exit_code: 0 }] })
    expect(claims.map(({ verdict }) => verdict)).toEqual(['observed', 'claimed', 'observed'])
  })

  it('names the event that shows it', () => {
    expect(verdictOf(0, [ran('npm test', 0, 7)])).toMatchObject({ seq: 7, execution_id: 'exec_1' })
  })

  it.each([
    [0, 0, 'observed'],
    [0, 1, 'contradicted'],
    [1, 1, 'observed'],
  ])('that reports %s and that drover ran with %s is %s', (exit, exit_code, verdict) => {
    expect(verdictOf(exit, [], [{ command: 'npm test', exit_code }])).toMatchObject({ verdict })
  })

  it('is judged by its calls if the check of drover did not complete', () => {
    expect(verdictOf(0, [ran('npm test', 0)], [{ command: 'npm test', problem: 'it was canceled' }])).toMatchObject({
      verdict: 'observed',
    })
  })

  it('that is reported twice may have failed first', () => {
    const trace = [ran('npm test', 1), ran('npm test', 0, 2)]
    const claims = claimsOf(
      ['src/wind.ts'],
      [
        ['npm test', 1],
        ['npm test', 0],
      ],
      { trace },
    )
    expect(claims.map(({ verdict }) => verdict)).toEqual(['observed', 'observed', 'observed'])
  })

  it('is read once, however many there are', () => {
    const activities = Array.from({ length: 1000 }, (_, at): [string, number] => [
      `npm run t${at} && npm run u${at}`,
      0,
    ])
    const start = process.cpuUsage()
    expect(claimsOf(['src/wind.ts'], activities)).toHaveLength(1001)
    const { user, system } = process.cpuUsage(start)
    expect(user + system).toBeLessThan(2_000_000)
  })
})

describe('a command with a variable that may make something else run', () => {
  it.each([
    'PATH=/tmp/bin npm test',
    'export PATH=/tmp/bin:$PATH; npm test',
    'PATH=bin; npm test',
    'env PATH=bin npm test',
    'NODE_OPTIONS=--require=./x.js npm test',
    'LD_PRELOAD=./x.so npm test',
    "bash -lc 'BASH_ENV=x npm test'",
    'alias npm=true; npm test',
    'npm() { true; }; npm test',
    'function npm { true; }; npm test',
  ])('is claimed: %s', (line) => {
    for (const code of [0, 1]) {
      expect(claimsOf([], [['npm test', 0]], { trace: [ran(line, code)] })[0]?.verdict).toBe('claimed')
    }
  })

  it('is claimed even if it is reported as it was', () => {
    const line = 'PATH=/tmp/bin npm test'
    expect(claimsOf([], [[line, 0]], { trace: [ran(line, 0)] })).toMatchObject([
      {
        verdict: 'claimed',
        note: `it was seen in \`${line}\`, which ended with exit code 0; that is not certainly its own`,
      },
    ])
  })

  it('is observed if drover runs it as a check, or if the variable is another', () => {
    const check = { command: 'env PATH=bin npm test', exit_code: 0 }
    expect(claimsOf([], [['env PATH=bin npm test', 0]], { checks: [check] })[0]?.verdict).toBe('observed')
    expect(claimsOf([], [['npm test', 0]], { trace: [ran('CI=1 npm test', 0)] })[0]?.verdict).toBe('observed')
    expect(claimsOf([], [['npm test', 0]], { trace: [ran('MYPATH=1 npm test', 0)] })[0]?.verdict).toBe('observed')
  })
})

describe('a failure that the agent reports, of a check that passes', () => {
  const PASSED = '; drover ran it after that, and it passed'
  const check = (exit_code: number) =>
    ({ command: 'npm test', passed: exit_code === 0, exit_code }) as ObservedWork['checks'][number]
  const noteOf = (
    activities: readonly [string, number][],
    checks: ObservedWork['checks'],
    trace: readonly Traced[] = [],
  ) => claimsOf([], activities, { checks, trace })[0]

  it('is observed, and its note says that the check passes now', () => {
    expect(noteOf([['npm test', 1]], [check(0)], [ran('npm test', 1)])).toMatchObject({
      verdict: 'observed',
      note: `a tool call shows exit code 1${PASSED}`,
    })
  })

  it('has the note also if no tool call shows it', () => {
    expect(noteOf([['npm test', 1]], [check(0)])?.note).toMatch(/; drover ran it after that, and it passed$/)
  })

  it.each<[string, readonly [string, number][], number]>([
    ['a success', [['npm test', 0]], 0],
    [
      'an earlier run, if a later one is reported',
      [
        ['npm test', 1],
        ['npm test', 0],
      ],
      0,
    ],
    ['another command', [['npm run lint', 1]], 0],
    ['a check that fails', [['npm test', 1]], 1],
  ])('the note is not about %s', (_, activities, code) => {
    expect(noteOf(activities, [check(code)], [ran(activities[0]?.[0] ?? '', activities[0]?.[1])])?.note).not.toContain(
      PASSED,
    )
  })
})
