import { describe, expect, it } from 'vitest'
import { judgeTests } from './judge-test-change.ts'

type Row = readonly [name: string, path: string, before: string, after: string, flags: readonly string[]]

const flagsOf = (path: string, before: string, after: string) => [
  ...new Set(judgeTests([{ path, before, after }]).map(({ flag }) => flag)),
]
const JS = 'test/wind.test.js'
const PY = 'tests/test_wind.py'
const GO = 'wind_test.go'
const RS = 'tests/wind.rs'
const JAVA = 'src/test/WindTest.java'
const vitest = (...lines: string[]) => `it('wind', () => {\n${lines.map((line) => `  ${line}\n`).join('')}})\n`
const python = (...lines: string[]) => `def test_wind():\n${lines.map((line) => `    ${line}\n`).join('')}`
const go = (...lines: string[]) => `func TestWind(t *testing.T) {\n${lines.map((line) => `\t${line}\n`).join('')}}\n`
const rust = (...lines: string[]) => `#[test]\nfn wind() {\n${lines.map((line) => `    ${line}\n`).join('')}}\n`
const java = (...lines: string[]) =>
  `class WindTest {\n  @Test void wind() {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n}\n`

const OTHER = ['test_expects_other']
const LESS = ['test_asserts_less']
const EARLY = ['test_ends_early']
const SKIPPED = ['test_skipped']
const NOTE = ['test_changed']

const WEAKENED: readonly Row[] = [
  ['toBe with another value', JS, vitest('expect(wind(1)).toBe(2)'), vitest('expect(wind(1)).toBe(3)'), OTHER],
  [
    'toEqual over lines',
    JS,
    vitest('expect(wind(1)).toEqual({', '  a: 1,', '})'),
    vitest('expect(wind(1)).toEqual({ a: 2 })'),
    OTHER,
  ],
  ['a looser matcher', JS, vitest('expect(wind(1)).toBe(2)'), vitest('expect(wind(1)).toBeDefined()'), OTHER],
  ['a negation', JS, vitest('expect(wind(1)).toBe(2)'), vitest('expect(wind(1)).not.toBe(2)'), OTHER],
  [
    'resolves with another value',
    JS,
    vitest('await expect(wind()).resolves.toBe(2)'),
    vitest('await expect(wind()).resolves.toBe(1)'),
    OTHER,
  ],
  ['assert.equal', JS, vitest('assert.equal(wind(1), 2)'), vitest('assert.equal(wind(1), 3)'), OTHER],
  [
    'assert.deepStrictEqual',
    JS,
    vitest('assert.deepStrictEqual(wind(), [1, 2])'),
    vitest('assert.deepStrictEqual(wind(), [1])'),
    OTHER,
  ],
  ['equal of node:assert', JS, vitest('equal(wind(1), 2)'), vitest('equal(wind(1), 3)'), OTHER],
  ['assert with a comparison', JS, vitest('assert(wind(1) === 2)'), vitest('assert(wind(1) === 3)'), OTHER],
  ['chai', JS, vitest('expect(wind(1)).to.equal(2)'), vitest('expect(wind(1)).to.equal(3)'), OTHER],
  ['both sides', JS, vitest('expect(wind(1)).toBe(2)'), vitest('expect(wind(7)).toBe(9)'), OTHER],
  [
    'an assertion removed',
    JS,
    vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)'),
    vitest('expect(a()).toBe(1)'),
    LESS,
  ],
  [
    'an assertion in a comment',
    JS,
    vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)'),
    vitest('expect(a()).toBe(1)', '// expect(b()).toBe(2)'),
    LESS,
  ],
  [
    'assertions in a block comment',
    JS,
    vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)'),
    vitest('expect(a()).toBe(1)', '/*', 'expect(b()).toBe(2)', '*/'),
    LESS,
  ],
  [
    'an assertion in a string',
    JS,
    vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)'),
    vitest('expect(a()).toBe(1)', 'void `expect(b()).toBe(2)`'),
    LESS,
  ],
  [
    'a constant compared with itself',
    JS,
    vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)'),
    vitest('expect(a()).toBe(1)', 'expect(true).toBe(true)'),
    LESS,
  ],
  ['process.exit', JS, vitest('expect(a()).toBe(1)'), vitest('process.exit(0)', 'expect(a()).toBe(1)'), EARLY],
  ['exitCode', JS, vitest('expect(a()).toBe(1)'), vitest('process.exitCode = 0', 'expect(a()).toBe(1)'), EARLY],
  ['an early return', JS, vitest('expect(a()).toBe(1)'), vitest('return', 'expect(a()).toBe(1)'), EARLY],
  ['a condition around', JS, vitest('expect(a()).toBe(1)'), vitest('if (never)', '  expect(a()).toBe(1)'), EARLY],
  ['a condition in the line', JS, vitest('expect(a()).toBe(1)'), vitest('if (never) expect(a()).toBe(1)'), EARLY],
  [
    'an error that is caught',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('try {', '  expect(a()).toBe(1)', '} catch {}'),
    EARLY,
  ],
  [
    'an error that is caught, in Python',
    'test_a.py',
    'def test_a():\n    assert a() == 1\n',
    'def test_a():\n    try:\n        assert a() == 1\n    except AssertionError:\n        pass\n',
    EARLY,
  ],
  [
    'a function around that nothing calls',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('const never = () => {', '  expect(a()).toBe(1)', '}'),
    EARLY,
  ],
  ['another expect', JS, vitest('expect(a()).toBe(1)'), `const expect = fake\n${vitest('expect(a()).toBe(1)')}`, EARLY],
  ['another it', JS, vitest('expect(a()).toBe(1)'), `function it() {}\n${vitest('expect(a()).toBe(1)')}`, EARLY],
  ['a return before node:assert', JS, vitest('equal(a(), 1)'), vitest('return', 'equal(a(), 1)'), EARLY],
  [
    'a conditional return',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('if (process.env.CI) return', 'expect(a()).toBe(1)'),
    EARLY,
  ],
  [
    'a return in a block',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('if (isSlow()) {', '  return;', '}', 'expect(a()).toBe(1)'),
    EARLY,
  ],
  ['it.only', JS, vitest('expect(a()).toBe(1)'), vitest('expect(a()).toBe(1)').replace('it(', 'it.only('), SKIPPED],
  ['it.todo', JS, vitest('expect(a()).toBe(1)'), `${vitest('expect(a()).toBe(1)')}it.todo('more')\n`, SKIPPED],
  ['test.fails', JS, vitest('expect(a()).toBe(1)'), vitest('expect(a()).toBe(1)').replace('it(', 'it.fails('), SKIPPED],
  [
    'an option of node:test',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('expect(a()).toBe(1)').replace("'wind',", "'wind', { skip: true },"),
    SKIPPED,
  ],
  ['a snapshot', 'src/__snapshots__/a.snap', 'exports[`a`] = `1`;\n', 'exports[`a`] = `2`;\n', OTHER],
  ['pytest', PY, python('assert wind(1) == 2'), python('assert wind(1) == 3'), OTHER],
  ['pytest with is', PY, python('assert wind(1) is None'), python('assert wind(1) is not None'), OTHER],
  [
    'pytest over lines',
    PY,
    python('assert wind(1) == [', '    1,', '    2,', ']'),
    python('assert wind(1) == [1]'),
    OTHER,
  ],
  ['pytest that only looks for truth', PY, python('assert wind(1) == 2'), python('assert wind(1)'), OTHER],
  [
    'pytest.raises',
    PY,
    python('with pytest.raises(ValueError):', '    wind(0)'),
    python('wind(0)', 'assert True'),
    LESS,
  ],
  ['unittest', PY, python('self.assertEqual(wind(1), 2)'), python('self.assertEqual(wind(1), 3)'), OTHER],
  [
    'unittest with the value first',
    PY,
    python('self.assertEqual(2, wind(1))'),
    python('self.assertEqual(3, wind(1))'),
    OTHER,
  ],
  ['assert True', PY, python('assert a() == 1', 'assert b() == 2'), python('assert a() == 1', 'assert True'), LESS],
  [
    'assertions in a docstring',
    PY,
    python('assert a() == 1', 'assert b() == 2'),
    python('assert a() == 1', '"""', 'assert b() == 2', '"""'),
    LESS,
  ],
  ['os._exit', PY, python('assert a() == 1'), python('os._exit(0)', 'assert a() == 1'), EARLY],
  ['sys.exit', PY, python('assert a() == 1'), python('sys.exit()', 'assert a() == 1'), EARLY],
  ['a return in Python', PY, python('assert a() == 1'), python('return', 'assert a() == 1'), EARLY],
  ['xfail', PY, python('assert a() == 1'), `@pytest.mark.xfail\n${python('assert a() == 1')}`, SKIPPED],
  ['skip', PY, python('assert a() == 1'), `@pytest.mark.skip\n${python('assert a() == 1')}`, SKIPPED],
  ['skipTest', PY, python('self.assertTrue(a())'), python('self.skipTest("later")', 'self.assertTrue(a())'), SKIPPED],
  [
    'Go',
    GO,
    go('if got := wind(1); got != 2 {', '\tt.Errorf("got %d", got)', '}'),
    go('if got := wind(1); got != 3 {', '\tt.Errorf("got %d", got)', '}'),
    OTHER,
  ],
  ['testify', GO, go('assert.Equal(t, 2, wind(1))'), go('assert.Equal(t, 3, wind(1))'), OTHER],
  ['require of testify', GO, go('require.Equal(t, 2, wind(1))'), go('require.NotNil(t, wind(1))'), OTHER],
  ['t.Skip', GO, go('assert.Equal(t, 2, wind(1))'), go('t.Skip("later")', 'assert.Equal(t, 2, wind(1))'), SKIPPED],
  ['os.Exit', GO, go('assert.Equal(t, 2, wind(1))'), go('os.Exit(0)', 'assert.Equal(t, 2, wind(1))'), EARLY],
  ['assert_eq', RS, rust('assert_eq!(wind(1), 2);'), rust('assert_eq!(wind(1), 3);'), OTHER],
  ['assert of Rust', RS, rust('assert!(wind(1) == 2);'), rust('assert!(wind(1) > 0);'), OTHER],
  ['ignore of Rust', RS, rust('assert_eq!(wind(1), 2);'), `#[ignore]\n${rust('assert_eq!(wind(1), 2);')}`, SKIPPED],
  ['a return in Rust', RS, rust('assert_eq!(wind(1), 2);'), rust('return;', 'assert_eq!(wind(1), 2);'), EARLY],
  ['JUnit', JAVA, java('assertEquals(2, wind(1));'), java('assertEquals(3, wind(1));'), OTHER],
  ['AssertJ', JAVA, java('assertThat(wind(1)).isEqualTo(2);'), java('assertThat(wind(1)).isNotNull();'), OTHER],
  [
    'Disabled',
    JAVA,
    java('assertEquals(2, wind(1));'),
    java('assertEquals(2, wind(1));').replace('@Test', '@Disabled @Test'),
    SKIPPED,
  ],
  ['System.exit', JAVA, java('assertEquals(2, wind(1));'), java('System.exit(0);', 'assertEquals(2, wind(1));'), EARLY],
  ['|| true', 'test/all.sh', 'sh check.sh\nsh other.sh\n', 'sh check.sh || true\nsh other.sh\n', EARLY],
  ['exit 0', 'test/all.sh', 'sh check.sh\n', 'exit 0\nsh check.sh\n', EARLY],
]

const HARMLESS: readonly Row[] = [
  ['one more assertion', JS, vitest('expect(a()).toBe(1)'), vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)'), NOTE],
  [
    'another layout',
    JS,
    vitest("expect(a('x')).toEqual({ a: 1 })"),
    vitest('expect(a("x")).toEqual({', '  a: 1,', '});'),
    NOTE,
  ],
  ['another name', JS, vitest('expect(wind(1)).toBe(2)'), vitest('expect(windSpeed(1)).toBe(2)'), NOTE],
  [
    'another order',
    JS,
    vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)'),
    vitest('expect(b()).toBe(2)', 'expect(a()).toBe(1)'),
    NOTE,
  ],
  ['a stronger matcher', JS, vitest('expect(wind(1)).toBeDefined()'), vitest('expect(wind(1)).toBe(2)'), NOTE],
  [
    'another title',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('expect(a()).toBe(1)').replace("'wind'", "'the wind'"),
    NOTE,
  ],
  [
    'a comment',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('// process.exit(0) would end it; it.skip too', 'expect(a()).toBe(1)'),
    NOTE,
  ],
  [
    'a text with exit',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest("log('process.exit(0)')", 'expect(a()).toBe(1)'),
    NOTE,
  ],
  [
    'a return of a callback',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('each(() => {', '  if (x) return', '  y()', '})', 'expect(a()).toBe(1)'),
    NOTE,
  ],
  [
    'a returned promise',
    JS,
    vitest('expect(a()).toBe(1)'),
    vitest('expect(a()).toBe(1)', 'return expect(b()).resolves.toBe(2)'),
    NOTE,
  ],
  [
    'a return of a helper',
    JS,
    `function f() {\n  x()\n}\n${vitest('expect(a()).toBe(1)')}`,
    `function f() {\n  if (y) return\n  x()\n}\n${vitest('expect(a()).toBe(1)')}`,
    NOTE,
  ],
  [
    'pages that are skipped',
    JS,
    vitest('expect(a({ take: 1 })).toBe(1)'),
    vitest('expect(a({ take: 1 })).toBe(1)', 'expect(b({ skip: 10 })).toBe(1)'),
    NOTE,
  ],
  [
    'other set-up',
    JS,
    `const a = 1\n${vitest('expect(f(a)).toBe(1)')}`,
    `const a = 2\n${vitest('expect(f(a)).toBe(1)')}`,
    NOTE,
  ],
  ['a new message', PY, python('assert a() == 1'), python('assert a() == 1, "the first"'), NOTE],
  ['more in Python', PY, python('assert a() == 1'), python('assert a() == 1', 'assert b() == 2'), NOTE],
  [
    'another layout in Python',
    PY,
    python('assert a() == [1, 2]'),
    python('assert a() == [', '    1,', '    2,', ']'),
    NOTE,
  ],
  [
    'more in Go',
    GO,
    go('assert.Equal(t, 2, wind(1))'),
    go('assert.Equal(t, 2, wind(1))', 'assert.Equal(t, 4, wind(2))'),
    NOTE,
  ],
  [
    'a lifetime in Rust',
    RS,
    rust('assert_eq!(wind(1), 2);'),
    rust("let a: &'static str = b();", 'assert_eq!(wind(1), 2);'),
    NOTE,
  ],
  [
    'more in Java',
    JAVA,
    java('assertEquals(2, wind(1));'),
    java('assertEquals(2, wind(1));', 'assertEquals(4, wind(2));'),
    NOTE,
  ],
  [
    'a new snapshot',
    'src/__snapshots__/a.snap',
    'exports[`a`] = `1`;\n',
    'exports[`a`] = `1`;\nexports[`b`] = `2`;\n',
    NOTE,
  ],
  ['no change', JS, vitest('expect(a()).toBe(1)'), vitest('expect(a()).toBe(1)'), []],
  ['data of a test', 'test/data.json', '{"a":1}', '{"a":2}', NOTE],
]

describe('a change of a test', () => {
  it.each(WEAKENED)('is serious: %s', (_name, path, before, after, flags) => {
    expect(flagsOf(path, before, after)).toEqual(flags)
  })

  it.each(HARMLESS)('is not serious: %s', (_name, path, before, after, flags) => {
    expect(flagsOf(path, before, after)).toEqual(flags)
  })

  it('names the line and both values', () => {
    const [before, after] = [vitest('', 'expect(wind(1)).toBe(2)'), vitest('', 'expect(wind(1)).toBe(3)')]
    expect(judgeTests([{ path: JS, before, after }])).toEqual([
      {
        flag: 'test_expects_other',
        detail: `${JS}:3: it asserts \`expect.toBe(wind(1), 3)\`, and before \`expect.toBe(wind(1), 2)\``,
        path: JS,
        line: 3,
      },
    ])
  })

  it('that moves an assertion to another test is not serious', () => {
    const both = vitest('expect(a()).toBe(1)', 'expect(b()).toBe(2)')
    const first = { path: JS, before: both, after: vitest('expect(a()).toBe(1)') }
    const second = { path: 'test/b.test.js', before: undefined, after: vitest('expect(b()).toBe(2)') }
    expect(judgeTests([first, second]).map(({ flag }) => flag)).toEqual(NOTE)
    expect(judgeTests([first]).map(({ flag }) => flag)).toEqual(LESS)
  })

  it('shows at most three of a kind', () => {
    const lines = Array.from({ length: 5 }, (_, at) => `expect(f${at}()).toBe(1)`)
    const after = vitest(...lines.map((line) => line.replace('toBe(1)', 'toBe(2)')))
    expect(judgeTests([{ path: JS, before: vitest(...lines), after }])).toHaveLength(3)
  })
})
