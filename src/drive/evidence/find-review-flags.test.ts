import { describe, expect, it } from 'vitest'
import type { Traced } from './compare-claims.ts'
import { type FlagFacts, findFlags, isCheckConfiguration, isNamedBy, isTestPath } from './find-review-flags.ts'

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
  tests: [],
  checkPrograms: [],
  checkedByDrover: [],
  warnings: [],
  gaps: [],
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
    [
      'skipped in Python',
      'def test_a(): assert 1',
      '@pytest.mark.skip\ndef test_a(): assert 1',
      ['test_skipped wind.test.ts'],
    ],
    [
      'skipped in Rust',
      '#[test] fn a() { assert!(true) }',
      '#[test] #[ignore] fn a() { assert!(true) }',
      ['test_skipped wind.test.ts'],
    ],
    ['emptied of a case', `it('a', () => {})`, '', ['test_emptied wind.test.ts']],
    ['emptied of a spaced case', `test ('a', () => {})`, '', ['test_emptied wind.test.ts']],
    ['emptied of a table', 'it.each`a`', '', ['test_emptied wind.test.ts']],
    ['emptied in Rust', '#[test] fn a() {}', '', ['test_emptied wind.test.ts']],
    ['emptied in Rust with Tokio', '#[tokio::test] async fn a() {}', '', ['test_emptied wind.test.ts']],
    ['emptied in Go', 'func TestA(t *testing.T) {}', '', ['test_emptied wind.test.ts']],
    ['skipped by its name', `it('a', () => {})`, `xit('a', () => {})`, ['test_skipped wind.test.ts']],
    ['skipped by its spaced name', `it('a', () => {})`, `xit ('a', () => {})`, ['test_skipped wind.test.ts']],
    ['skipped in Go', 'func TestA(t) {}', 'func TestA(t) { t.Skip("later") }', ['test_skipped wind.test.ts']],
    ['without cases', 'export const A = 1', 'export const A = 2', []],
    ['new', undefined, `it.skip('a')`, []],
    ['changed', `it('a', () => {})`, `it('b', () => {})`, []],
    ['with a skip that was there before', `it.skip('a')`, `it.skip('a'); it('b')`, []],
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
  ])('is recognized: %s', (path) => expect(isTestPath(path)).toBe(true))

  it.each([
    ...['src/wind.ts', 'latest.ts', 'contest/a.ts', 'src/testimony.md'],
    ...['wind.test.ts.snap', 'test_wind.py.txt', 'wind_test.go.txt'],
  ])('is not %s', (path) => {
    expect(isTestPath(path)).toBe(false)
  })
})

describe('the configuration of a check', () => {
  it.each([
    'package.json',
    'web/tsconfig.build.json',
    'vitest.config.ts',
    '.eslintrc.cjs',
    'pyproject.toml',
    '.github/workflows/ci.yml',
    'Makefile',
    'jest.config.mts',
    '.prettierrc',
    'prettier.yml',
    '.golangci.yml',
    'build.gradle',
    'phpunit.xml',
    'phpunit.xml.dist',
    '.gitlab-ci.yml',
  ])('is %s', (path) => {
    expect(isCheckConfiguration(path)).toBe(true)
    expect(flagsOf({ changed: [path], implementation: { ...FACTS.implementation, files_changed: [path] } })).toEqual([
      `check_configuration_changed ${path}`,
    ])
  })

  it.each(['src/package.json.ts', 'src/config.ts', 'makefile.md', '.gitlab-ci.yml.bak'])('is not %s', (path) => {
    expect(isCheckConfiguration(path)).toBe(false)
  })

  it('is a program that a check names', () => {
    expect(isNamedBy(['sh ./check.sh --all'], 'check.sh')).toBe(true)
    expect(isNamedBy(['npm test', 'sh  check.sh'], 'check.sh')).toBe(true)
    expect(isNamedBy(['sh check.sh'], 'other.sh')).toBe(false)
    expect(isNamedBy(['npx vitest run src/a.test.ts'], 'src/a.test.ts')).toBe(false)
    expect(flagsOf({ changed: ['src/check.sh'], checkPrograms: ['src/check.sh'] })).toEqual([
      'check_configuration_changed src/check.sh',
    ])
  })

  it('that was there before is listed before new files, of which at most 20 are', () => {
    const changed = [...Array.from({ length: 25 }, (_, at) => `src/${at}/package.json`), 'src/tsconfig.json']
    const flags = flagsOf({ changed, old: new Set(['src/tsconfig.json']) })
    expect(flags).toHaveLength(21)
    expect([flags[0], flags.at(-1)]).toEqual([
      'check_configuration_changed src/tsconfig.json',
      'check_configuration_changed and 6 more',
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
    expect(flagsOf({ gaps: ['too many tests'] })).toEqual(['evidence_incomplete too many tests'])
  })
})

describe('a change of agent configuration', () => {
  it('is flagged first, also where git does not show it', () => {
    const changed = ['.claude/settings.json', 'package.json', 'src/wind.ts', 'web/GEMINI.md']
    const flags = flagsOf({ changed, unseenConfiguration: ['build/.mcp.json'] })
    expect(flags.slice(0, 4)).toEqual([
      'agent_configuration_changed .claude/settings.json',
      'agent_configuration_changed web/GEMINI.md',
      'agent_configuration_changed build/.mcp.json',
      'check_configuration_changed package.json',
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
