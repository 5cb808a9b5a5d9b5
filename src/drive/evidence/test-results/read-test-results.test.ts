import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../../test/support/full-counts.ts'
import { EVENT_LIMIT_BYTES } from '../../../journal/hash-chain.ts'
import type { TestResults } from '../../record/test-results.shape.ts'
import { MAX_NAME } from './listing.ts'
import { MAX_LINE, MAX_LINES, MAX_TESTS, readTestResults } from './read-test-results.ts'

const RECORDINGS = join(import.meta.dirname, '../../../../test/recordings/test-runners')
const recorded = (name: string) => readFileSync(join(RECORDINGS, `${name}.txt`), 'utf8')
const read = (name: string) => readTestResults(recorded(name))

const NODE = {
  failed: ['fails on purpose', 'a suite > breaks inside'],
  skipped: ['is skipped', 'is skipped with reason', 'is todo', 'fails as todo', 'a suite > nested > skips deep'],
  passed: [
    ...['parses dates', 'adds # hashes \\ and - dashes', 'a suite > works inside', 'a suite > nested > works inside'],
    ...['with subtests > first sub', 'with subtests > second sub', 'shows the wind', 'parses dates'],
  ],
}

const VITEST = {
  failed: ['dates.test.js > fails on purpose', 'dates.test.js > a suite > breaks inside'],
  skipped: ['dates.test.js > is skipped', 'dates.test.js > is todo', 'dates.test.js > a suite > nested > skips deep'],
  passed: [
    ...['dates.test.js > parses dates', 'dates.test.js > a suite > works > inside'],
    ...['dates.test.js > a suite > nested > works inside', 'wind.test.js > shows the wind'],
    ...['wind.test.js > is slow', 'wind.test.js > has a time in 12ms'],
  ],
}

const JEST = {
  failed: ['./dates.test.js › fails on purpose', './dates.test.js › a suite › breaks › inside'],
  skipped: [
    ...['./dates.test.js › is skipped', './dates.test.js › is todo'],
    './dates.test.js › a suite › nested › skips deep',
  ],
  passed: [
    ...['./dates.test.js › parses dates', './dates.test.js › a suite › works inside'],
    ...['./dates.test.js › a suite › nested › works inside', './wind.test.js › shows the wind'],
    './wind.test.js › is slow',
  ],
}

const PYTEST = {
  failed: ['test_dates.py::test_fails', 'test_dates.py::test_errors', 'test_dates.py::TestWind::test_bad'],
  skipped: ['test_dates.py::test_skipped', 'test_dates.py::test_xfails'],
  passed: [
    ...['sub/test_rain.py::test_rain', 'test_dates.py::test_parses', 'test_dates.py::test_xpasses'],
    ...['test_dates.py::test_params[a b]', 'test_dates.py::test_params[c - d]'],
    ...['test_dates.py::test_params[x::y [z]]', 'test_dates.py::TestWind::test_knots'],
  ],
}

const GO = {
  failed: ['example.com/weather.TestFails', 'example.com/weather.TestTable/c'],
  skipped: ['example.com/weather.TestSkipped'],
  passed: [
    ...['example.com/weather.TestKnots', 'example.com/weather.TestTable/a_b'],
    ...['example.com/weather/dates.TestParses', 'example.com/weather/dates.TestKnots'],
  ],
}

const CARGO = {
  failed: ['src/lib.rs > tests::fails'],
  skipped: ['src/lib.rs > tests::ignored', 'src/lib.rs > tests::ignored_why'],
  passed: [
    ...['src/lib.rs > tests::deep::parses', 'src/lib.rs > tests::parses', 'src/lib.rs > tests::panics'],
    ...['tests/all.rs > parses', 'tests/all.rs > whole', 'weather > src/lib.rs - knots'],
  ],
}

const sorted = (results: Pick<TestResults, 'failed' | 'skipped' | 'passed'> | undefined) =>
  results && {
    failed: results.failed.toSorted(),
    skipped: results.skipped.toSorted(),
    passed: results.passed.toSorted(),
  }

describe('a runner that lists every test', () => {
  it.each([
    ['node-tap', 'tap', NODE],
    ['node-spec', 'node', NODE],
    ['node-spec-colour', 'node', NODE],
    ['vitest-verbose', 'vitest', VITEST],
    ['jest-verbose', 'jest', JEST],
    ['pytest-v', 'pytest', PYTEST],
    ['pytest-colour', 'pytest', PYTEST],
    ['go-v', 'go', GO],
    ['go-json', 'go', GO],
    ['cargo-no-fail-fast', 'cargo', CARGO],
  ] as const)('is read from the recording %s', (name, runner, tests) => {
    const results = read(name)
    expect(results).toMatchObject({ runner, listed: 'all' })
    expect(sorted(results)).toEqual(sorted(tests as unknown as TestResults))
  })

  it.each(['node-junit', 'pytest-junit'])('is read from the XML of JUnit in the recording %s', (name) => {
    const { failed = [], skipped = [], passed = [], ...rest } = read(name) ?? {}
    expect(rest).toEqual({ runner: 'junit', listed: 'all' })
    const counts = name === 'node-junit' ? [2, 5, 8] : [3, 2, 7]
    expect([failed.length, skipped.length, passed.length]).toEqual(counts)
    expect(failed).toContain(name === 'node-junit' ? 'a suite > breaks inside' : 'test_dates.TestWind > test_bad')
  })
})

describe('a runner that does not list tests that pass', () => {
  it.each([
    ['vitest-default', VITEST.failed],
    ['jest-default', JEST.failed],
    ['pytest-default', PYTEST.failed],
    ['pytest-q', PYTEST.failed],
    ['pytest-rA', PYTEST.failed],
    ['go-plain', GO.failed],
    ['cargo-q', ['tests::fails']],
    ['vitest-green', []],
  ] as const)('is known to list all failures in the recording %s', (name, failed) => {
    const results = read(name)
    expect(results?.listed).toBe('failures')
    expect(results?.failed.toSorted()).toEqual(failed.toSorted())
  })
})

describe('a runner that could not run every test', () => {
  it.each([
    ['node-unloaded-file', 'broken.test.js'],
    ['vitest-unloaded-file', 'broken.test.js'],
    ['vitest-tap', 'broken.test.js'],
    ['jest-unloaded-file', './broken.test.js'],
    ['pytest-unloaded-file', 'test_broken_import.py'],
    ['go-unbuilt-package', 'example.com/weather.TestFails'],
    ['cargo-default', 'src/lib.rs > tests::fails'],
  ])('lists only some of them in the recording %s', (name, failed) => {
    const results = read(name)
    expect(results?.listed).toBe('some')
    expect(results?.failed).toContain(failed)
  })

  it('lists only some of them if its output was cut, or has fewer tests than the runner counts', () => {
    expect(readTestResults(recorded('node-spec'), true)?.listed).toBe('some')
    const missing = recorded('node-spec').replace(/^✔ shows the wind.*\n/m, '')
    expect(readTestResults(missing)?.listed).toBe('failures')
    expect(readTestResults(missing.replace(/^✖ fails on purpose.*\n/gm, ''))?.listed).toBe('some')
  })
})

describe('the output of other programs', () => {
  it.each(['', 'ok', 'Found 3 errors.\n', '✓ built in 3 s\n', '1..3\n', '<testsuite>', '{"Action":"pass"}\n'])(
    'names no tests: %j',
    (output) => expect(readTestResults(output)).toBeUndefined(),
  )
})

it('judges a check with several runners by the one with most tests', () => {
  expect(readTestResults(`${recorded('node-tap')}\n${recorded('cargo-q')}`)?.runner).toBe('tap')
})

it('lists a suite only if it failed although nothing in it did', () => {
  const suite = (inner: string) => `# Subtest: a suite\n    ${inner} 1 - inner\n    1..1\nnot ok 1 - a suite\n1..1\n`
  expect(readTestResults(suite('ok'))).toMatchObject({ failed: ['a suite'], passed: ['a suite > inner'] })
  expect(readTestResults(suite('not ok'))?.failed).toEqual(['a suite > inner'])
})

const tap = (count: number, failures = 0) =>
  [
    ...Array.from({ length: count }, (_, at) => `ok ${at + 1} - test ${at + 1}`),
    ...Array.from({ length: failures }, (_, at) => `not ok ${count + at + 1} - failure ${at + 1}`),
    `1..${count + failures}`,
  ].join('\n')

describe('the number of names', () => {
  it('is whole at the limit', () => {
    const results = readTestResults(tap(MAX_TESTS))
    expect(results?.listed).toBe('all')
    expect(results?.passed).toHaveLength(MAX_TESTS)
  })

  it('is cut one past it, failures last', () => {
    const results = readTestResults(tap(MAX_TESTS - 1, 2))
    expect(results?.listed).toBe('failures')
    expect(results?.failed).toEqual(['failure 1', 'failure 2'])
    expect(results?.passed).toHaveLength(MAX_TESTS - 2)
    const many = readTestResults(tap(0, MAX_TESTS + 1))
    expect(many?.listed).toBe('some')
    expect(many?.failed).toHaveLength(MAX_TESTS)
  })
})

it('fits into a record with the most and the longest names', () => {
  const long = (at: number) => `ok ${at} - ${'\u20ac'.repeat(MAX_NAME)}`
  const tests = readTestResults(`${Array.from({ length: MAX_TESTS }, (_, at) => long(at)).join('\n')}\n1..${MAX_TESTS}`)
  const output = '\u20ac'.repeat(16_000)
  expect(tests?.passed).toHaveLength(MAX_TESTS)
  expect(Buffer.byteLength(JSON.stringify({ tests, output }))).toBeLessThan(EVENT_LIMIT_BYTES)
})

describe('a long output', () => {
  it('is read whole at the limit of lines, and its end one past it', () => {
    const readAfter = (lines: number) => readTestResults(`${'\n'.repeat(lines - 2)}ok 1 - a\n1..1`)
    expect(readAfter(MAX_LINES)?.listed).toBe('all')
    expect(readAfter(MAX_LINES + 1)).toMatchObject({ listed: 'some', passed: ['a'] })
  })

  it('has results in lines up to the limit of characters', () => {
    const line = (length: number) => `ok 1 - ${'x'.repeat(length - 7)}\nok 2 - b\n1..2`
    expect(readTestResults(line(MAX_LINE))?.passed).toHaveLength(2)
    expect(readTestResults(line(MAX_LINE + 1))).toMatchObject({ listed: 'some', passed: ['b'] })
  })
})

describe('a name', () => {
  const nameOf = (name: string) => readTestResults(`ok 1 - ${name}\n1..1`)?.passed[0]

  it('is kept at the limit, and keeps both ends one past it', () => {
    const atLimit = `begin${'x'.repeat(MAX_NAME - 8)}end`
    expect(nameOf(atLimit)).toBe(atLimit)
    const cut = nameOf(`begin${'x'.repeat(MAX_NAME - 7)}end`)
    expect(cut).toHaveLength(MAX_NAME)
    expect(cut).toMatch(/^beginx+…x+end$/)
  })

  it('has no control characters and no halves of characters', () => {
    expect(nameOf('a\u0007b\ud800c')).toBe('a b\ufffdc')
  })
})

describe('any text', () => {
  const words = fc.constantFrom(
    ...['ok 1 - ', 'not ok', '    ', '# Subtest: a', '1..2', '---', '...', '✔ a (1ms)', '▶ ', 'ℹ tests 1', ' RUN v1'],
    ...[' ✓ a > b 1ms', ' FAIL  a [ b ]', '   × c', '      Tests  1 failed', 'PASS a', '  ● b', 'Tests: 1 passed'],
    ...['=== test session starts ===', 'a::b PASSED', '= 1 passed in 1s =', '--- FAIL: A/b (0s)', 'ok  \tp\t1s'],
    ...['{"Action":"run","Package":"p","Test":1}', 'running 1 test', 'test a ... ok', 'test result: ok. 1 passed'],
    ...[
      '<testsuite name="a">',
      '<testcase name="',
      '&#1114112;',
      '</testcase>',
      '<![CDATA[',
      '\u001b[1m',
      '\n',
      '\r\n',
    ],
  )
  const texts = fc.array(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 60 })

  it('is read without an error, within the limits', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom('', '\n'), (parts, separator) => {
        const results = readTestResults(parts.join(separator))
        const names = [...(results?.failed ?? []), ...(results?.skipped ?? []), ...(results?.passed ?? [])]
        expect(names.every((name) => name.length <= MAX_NAME && name.isWellFormed())).toBe(true)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it.each([
    ['one long line', '✔ '.repeat(100_000)],
    ['lines of brackets', `${' ✓ ['.repeat(900)} ( [ \n`.repeat(300)],
    ['lines of colours', `\u001b${';1'.repeat(1900)}\n`.repeat(300)],
    ['many colours', `${'\u001b[1m'.repeat(900)}\n`.repeat(300)],
    ['lines of colons', ` RUN v1\n${'a::'.repeat(1300)}\n`.repeat(300)],
    ['lines of digits', `Tests: ${'1'.repeat(3900)}\n${' (1 test'.repeat(480)}\n`.repeat(150)],
    ['deep suites', Array.from({ length: 900 }, (_, at) => `${'  '.repeat(at)}▶ ${'s'.repeat(2000)}`).join('\n')],
    ['tags that do not end', `<testsuite>${'<testcase name="'.repeat(70_000)}`],
    ['open comments', `<testsuite>\n${'<!--\n'.repeat(30_000)}`],
    ['short results', `${'ok\n'.repeat(30_000)}1..30000`],
  ])('of %s is read in a time that grows with its length', (_name, text) => {
    readTestResults(`ℹ tests 1\n=== test session starts ===\nrunning 1 test\nPASS a\n${text}`)
  })
})
