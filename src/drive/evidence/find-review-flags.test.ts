import { describe, expect, it } from 'vitest'
import type { TestChange } from '../record/test-results.shape.ts'
import { isTestPath } from './changed-tests/judge-test-change.ts'
import type { Traced } from './compare-claims.ts'
import { type FlagFacts, findFlags, isRunBy } from './find-review-flags.ts'

const FACTS: FlagFacts = {
  root: '/work',
  implementation: { result: 'applied', files_changed: ['src'], activities: [], uncertainties: [], attempts: 1 },
  claims: [],
  trace: [],
  changed: ['src/wind.ts'],
  old: new Set(),
  ignored: [],
  unseenConfiguration: [],
  hidden: [],
  changedInRun: [],
  tests: [],
  manifests: [],
  links: [],
  secrets: [],
  tellingLines: [],
  history: { isDescendant: true, commits: 0 },
  checkPrograms: [],
  checkedByDrover: [],
  checkedTests: [],
  warnings: [],
  gaps: [],
  tooLarge: [],
}
const flagsOf = (facts: Partial<FlagFacts>) =>
  findFlags({ ...FACTS, ...facts }).map(({ flag, detail }) => `${flag} ${detail}`)

const command: Traced = { did: 'command', seq: 3, command: 'npm test', exit_code: 0, execution_id: 'exec_1' }
const edit = (seq: number): Traced => ({ did: 'edit', seq, paths: ['src/wind.ts'], execution_id: 'exec_1' })
const claim = {
  about: 'activity',
  subject: 'npm test',
  exit_code: 0,
  verdict: 'observed',
  note: '',
  seq: 3,
  execution_id: 'exec_1',
} as const

describe('a check', () => {
  it('that is older than the last edit is flagged', () => {
    const flag = ['check_older_than_last_edit npm test']
    expect(flagsOf({ claims: [claim], trace: [edit(1), command, edit(5)] })).toEqual(flag)
    expect(flagsOf({ claims: [claim], trace: [edit(1), command] })).toEqual([])
    const laterAttempt = { ...edit(1), execution_id: 'exec_2' }
    expect(flagsOf({ claims: [claim], trace: [edit(1), command, laterAttempt] })).toEqual(flag)
  })

  it('is found by its event, in the attempt that it belongs to', () => {
    const first = { ...command, seq: 0, command: 'ls' }
    const ofEarlier = { ...command, execution_id: 'exec_0' }
    for (const trace of [
      [first, edit(1), command],
      [ofEarlier, edit(1), command],
      [edit(1), command, { ...command, seq: 4 }],
      [first, edit(3)],
      [first, edit(1)],
    ]) {
      expect(flagsOf({ claims: [claim], trace })).toEqual([])
    }
  })

  it('is flagged only if an event shows it, and only if it is one', () => {
    const { seq: _, execution_id: __, ...unseen } = claim
    const file = { ...claim, about: 'file', subject: 'src/wind.ts' } as const
    expect(flagsOf({ claims: [unseen, file], trace: [command, edit(5)] })).toEqual([])
  })

  it('that drover ran itself is not', () => {
    const facts = { claims: [claim], trace: [command, edit(5)], checkedByDrover: ['npm test'] }
    expect(flagsOf(facts)).toEqual([])
  })
})

describe('a test', () => {
  const tests = (before: string | undefined, after: string | undefined) =>
    flagsOf({ tests: [{ path: 'wind.test.ts', before, after }] })

  it.each([
    ['deleted', `it('a', () => {})`, undefined, ['test_deleted wind.test.ts']],
    ['emptied', `it('a', () => { expect(1).toBe(1) })`, '', ['test_emptied wind.test.ts']],
    ['skipped', `it('a', () => {})`, `it.skip('a', () => {})`, ['test_skipped wind.test.ts']],
    ['emptied of a case', `it('a', () => {})`, '', ['test_emptied wind.test.ts']],
    ['emptied of a spaced case', `test ('a', () => {})`, '', ['test_emptied wind.test.ts']],
    ['emptied of a table', 'it.each`a`', '', ['test_emptied wind.test.ts']],
    ['emptied in Rust', '#[test] fn a() {}', '', ['test_emptied wind.test.ts']],
    ['emptied in Rust with Tokio', '#[tokio::test] async fn a() {}', '', ['test_emptied wind.test.ts']],
    ['emptied in Go', 'func TestA(t *testing.T) {}', '', ['test_emptied wind.test.ts']],
    ['skipped by its name', `it('a', () => {})`, `xit('a', () => {})`, ['test_skipped wind.test.ts']],
    ['skipped by its spaced name', `it('a', () => {})`, `xit ('a', () => {})`, ['test_skipped wind.test.ts']],
    ['skipped in Go', 'func TestA(t) {}', 'func TestA(t) { t.Skip("later") }', ['test_skipped wind.test.ts']],
    ['without cases', 'export const A = 1', 'export const A = 2', ['test_changed wind.test.ts']],
    ['new', undefined, `it.skip('a')`, []],
    ['changed', `it('a', () => {})`, `it('b', () => {})`, ['test_changed wind.test.ts']],
    ['with a skip that was there before', `it.skip('a')`, `it.skip('a'); it('b')`, ['test_changed wind.test.ts']],
  ])('%s', (_name, before, after, flags) => {
    expect(tests(before, after)).toEqual(flags)
  })

  it.each([
    'src/wind.test.ts',
    'test/wind.ts',
    'tests/a/b.py',
    'test_wind.py',
    'wind_test.go',
    'spec/wind.rb',
    'a/__tests__/b.js',
    'test.ts',
    'src/WindTest.java',
    'src/__snapshots__/wind.ts.snap',
  ])('is recognized: %s', (path) => expect(isTestPath(path)).toBe(true))

  it.each([
    ...['src/wind.ts', 'latest.ts', 'contest/a.ts', 'src/testimony.md'],
    ...['test_wind.py.txt', 'wind_test.go.txt'],
  ])('is not %s', (path) => {
    expect(isTestPath(path)).toBe(false)
  })
})

describe('the configuration of a check', () => {
  it.each([
    ['sh ./check.sh --all', 'check.sh'],
    ['sh  check.sh', 'check.sh'],
    ['./bin/check src', 'bin/check'],
    ['env CI=1 sh check.sh', 'check.sh'],
    ['CI=1 node --test tools/run.mjs', 'tools/run.mjs'],
    ['sh -c "npm ci && sh check.sh"', 'check.sh'],
    ["bash -c 'tools/lint | tail'", 'tools/lint'],
    ['/usr/bin/python3.13 -u tools/check.py', 'tools/check.py'],
  ])('is a program that a check runs: %s', (command, path) => {
    expect(isRunBy(['npm test', command], path)).toBe(true)
  })

  it.each([
    ['sh check.sh', 'other.sh'],
    ['npx vitest run src/a.test.ts', 'src/a.test.ts'],
    ['grep knots wind.txt', 'wind.txt'],
    ['sh -c "sort wind.txt > sorted.txt"', 'wind.txt'],
    ['node --check src/wind.js src/sun.js', 'src/sun.js'],
  ])('is not a file that a check only reads: %s', (command, path) => {
    expect(isRunBy([command], path)).toBe(false)
  })

  it('is flagged', () => {
    expect(flagsOf({ changed: ['src/check.sh'], checkPrograms: ['src/check.sh'] })).toEqual([
      'check_configuration_changed src/check.sh',
    ])
  })

  it('is listed at most 20 times', () => {
    const changed = Array.from({ length: 26 }, (_, at) => `src/${at}/pytest.ini`)
    const flags = flagsOf({ changed })
    expect(flags).toHaveLength(21)
    expect([flags[0], flags.at(-1)]).toEqual([
      'check_configuration_changed src/0/pytest.ini',
      'check_configuration_changed and 6 more',
    ])
  })
})

describe('the repository', () => {
  it('with a link that leads out of it is flagged', () => {
    const links = [
      { path: 'src/out', target: '../../other' },
      { path: 'src/etc', target: '/etc' },
      { path: 'src/in', target: '../lib' },
      { path: 'up', target: '..' },
    ]
    expect(flagsOf({ links })).toEqual([
      'link_leaves_repository src/out: it is a link to ../../other',
      'link_leaves_repository src/etc: it is a link to /etc',
      'link_leaves_repository up: it is a link to ..',
    ])
  })

  it('with changed submodules is flagged', () => {
    expect(flagsOf({ changed: ['.gitmodules', 'sub'] })).toContain(
      'link_leaves_repository .gitmodules: it names other repositories, whose files are checked out too',
    )
  })

  it('with a line that turns a check off is flagged, with its place', () => {
    const tellingLines = [{ path: 'wind.ts', what: 'it turns off the type checker for the file', line: 1 }]
    expect(findFlags({ ...FACTS, tellingLines })).toEqual([
      {
        flag: 'check_configuration_changed',
        detail: 'wind.ts:1: it turns off the type checker for the file',
        path: 'wind.ts',
        line: 1,
      },
    ])
  })

  it('without the commit that the run started from is flagged, and commits of an agent are noted', () => {
    expect(flagsOf({ history: { isDescendant: false, commits: 0 } })).toEqual([
      'history_rewritten the branch no longer contains the commit that the run started from',
    ])
    const made = (commits: number) => flagsOf({ history: { isDescendant: true, commits } })
    expect([...made(0), ...made(1), ...made(2)]).toEqual([
      'committed_by_agent 1 commit was made during the run',
      'committed_by_agent 2 commits were made during the run',
    ])
  })

  it('with a secret is flagged, with its place', () => {
    const secrets = [
      { path: 'src/key.ts', what: 'a token of npm', line: 3 },
      { path: '.env', what: 'its name' },
    ]
    expect(findFlags({ ...FACTS, secrets })).toEqual([
      { flag: 'secret_added', detail: 'src/key.ts:3: a token of npm', path: 'src/key.ts', line: 3 },
      { flag: 'secret_added', detail: '.env: its name', path: '.env' },
    ])
  })
})

describe('other flags', () => {
  it('name changes that were not reported, at most 20', () => {
    expect(flagsOf({ changed: ['src/wind.ts', 'other.ts'] })).toEqual(['change_not_reported other.ts'])
    const reporting = (...files: string[]) => ({ implementation: { ...FACTS.implementation, files_changed: files } })
    expect(flagsOf(reporting('/work/src/wind.ts'))).toEqual([])
    expect(flagsOf(reporting('docs', 'src'))).toEqual([])
    const many = Array.from({ length: 21 }, (_, at) => `other/${at}`)
    expect(flagsOf({ changed: many }).slice(-2)).toEqual([
      'change_not_reported other/19',
      'change_not_reported and 1 more',
    ])
    expect(flagsOf({ changed: many.slice(0, 20) })).toHaveLength(20)
  })

  it('name denied tool calls', () => {
    const denied = [
      '2 tool calls were denied: Bash (npm test), Write',
      '1 tool call was denied: Bash',
      '12 tool calls were denied',
    ]
    const others = ['something else', 'it says that 2 tool calls were denied']
    expect(flagsOf({ warnings: [...denied, ...others] })).toEqual(denied.map((each) => `tool_call_denied ${each}`))
  })

  it('say what was not looked at', () => {
    expect(flagsOf({ gaps: ['too many tests'], tooLarge: ['a lot'] })).toEqual([
      'change_too_large a lot',
      'evidence_incomplete too many tests',
    ])
  })
})

describe('a change of agent configuration', () => {
  it('is flagged first, also where git does not show it', () => {
    const changed = ['.claude/settings.json', 'pytest.ini', 'src/wind.ts', 'web/GEMINI.md']
    const flags = flagsOf({ changed, unseenConfiguration: ['build/.mcp.json'] })
    expect(flags.slice(0, 4)).toEqual([
      'agent_configuration_changed .claude/settings.json',
      'agent_configuration_changed web/GEMINI.md',
      'agent_configuration_changed build/.mcp.json',
      'check_configuration_changed pytest.ini',
    ])
  })
})

describe('serious flags', () => {
  it('come before notes, in their order', () => {
    const facts = { claims: [claim], trace: [edit(1), command, edit(5)], hidden: ['src/wind.ts'] }
    expect(flagsOf({ ...facts, gaps: ['too many'] })).toEqual([
      'change_hidden_from_git src/wind.ts',
      'check_older_than_last_edit npm test',
      'evidence_incomplete too many',
    ])
  })
})

describe('tests that do not run any more', () => {
  it('are notes, and serious if they failed before', () => {
    const change = (kind: TestChange['change'], count = 1): TestChange => {
      return { change: kind, count, names: ['parses dates'], is_setback: true, text: '' }
    }
    const kinds = ['removed', 'skipped', 'failing_removed', 'failing_skipped', 'broken'] as const
    const tests = [...kinds.map((kind) => change(kind)), change('removed', 3)]
    expect(flagsOf({ checkedTests: [{ command: 'npm test', tests }] })).toEqual([
      'failing_tests_removed parses dates (in npm test)',
      'failing_tests_skipped parses dates (in npm test)',
      'tests_removed parses dates (in npm test)',
      'tests_skipped parses dates (in npm test)',
      'tests_removed parses dates and 2 more (in npm test)',
    ])
  })
})
