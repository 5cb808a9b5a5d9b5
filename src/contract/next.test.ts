import { describe, expect, it } from 'vitest'
import { loadValidators } from '../../test/support/load-validators.ts'
import { BUD, commandsWith, GOAL, OUT } from '../../test/support/next-commands.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { digest } from '../kit/digest.ts'
import { checker } from '../kit/schema.ts'
import { NextInput, NextVariant } from './next.shape.ts'
import { checkNext } from './next.ts'
import { makeVariant, VARIANTS } from './next-variants.ts'

const SCOPE = digest('scope')
const V = { RUN: 'run-1', ACTION: 'action-1', ROOT: '/work', CANDIDATE: 'cand-1', BUDGET: '8', DIGEST: SCOPE }

const COMMANDS = commandsWith(V).map((each) => ({ ...each, words: each.argv.join(' ') }))

const SUBMIT = 'drover protocol submit --run run-1 --action action-1 --root /work'
const SKIP = 'drover protocol skip --run run-1 --action action-1 --root /work'
const RESUME = 'drover protocol resume run-1 --root /work'
const START = 'drover run --budget 8 --json --root /work'

const OPERATIONS = ['action', 'answer', 'resume', 'start', 'command', 'none']

const offer = (operation: string, ...variants: object[]) => ({ operation, workspace_identity: digest('w'), variants })
const command = (id: string, words: string, inputs: readonly object[] = []) => ({
  id,
  base_argv: words.split(' '),
  inputs,
})

describe('the commands that next offers', () => {
  it.each(COMMANDS)('under $operation: $id is `$words`', ({ operation, id, words, inputs, values, options }) => {
    const variant = makeVariant(id, { ...values, options })
    expect(variant).toEqual(command(id, words, inputs))
    expect(problemsOf(checkNext, offer(operation, variant))).toEqual([])
  })

  it('are exactly these', () => {
    const listed = COMMANDS.map(({ id }) => id)
    expect([...new Set(VARIANTS.map(({ id }) => id))]).toEqual([...new Set(listed)])
  })

  it.each(COMMANDS)(
    'are refused with a word changed, added or left out: $operation $id `$words`',
    ({ operation, id, argv, inputs }) => {
      const broken = [
        ...argv.flatMap((word, index) => (word === '--no-review' ? [] : [argv.toSpliced(index, 1)])),
        ...argv.flatMap((word, index) => (isValue(word) ? [] : [argv.with(index, 'other')])),
        [...argv, '--more'],
      ]
      const taken = broken.filter(
        (base_argv) => problemsOf(checkNext, offer(operation, { id, base_argv, inputs })).length === 0,
      )
      expect(taken).toEqual(
        id === 'inspect-run-in-its-workspace' ? [withoutRun(argv)].filter((words) => words !== argv) : [],
      )
    },
  )

  it.each(COMMANDS)('are refused with other inputs: $operation $id `$words`', ({ operation, id, words, inputs }) => {
    const others = [
      [...inputs, BUD],
      inputs.slice(1),
      inputs.map((input) => ({ ...input, flag: '--other' })),
      inputs.toReversed(),
    ]
    const different = others.filter((each) => JSON.stringify(each) !== JSON.stringify(inputs))
    for (const each of different) {
      const problems = problemsOf(checkNext, offer(operation, command(id, words, each)))
      const names = inputs.map(({ name }) => name).join(', ')
      expect(problems).toEqual([{ path: '$.variants[0].inputs', rule: `must be exactly: ${names || 'none'}` }])
    }
  })

  it.each(COMMANDS)('belong to their operation: $operation $id', ({ id, words, inputs }) => {
    const taking = OPERATIONS.filter(
      (each) => problemsOf(checkNext, offer(each, command(id, words, inputs))).length === 0,
    )
    expect(taking).toEqual([...new Set(COMMANDS.filter((row) => row.id === id).map(({ operation }) => operation))])
  })

  it('are built from exactly their values', () => {
    expect(() => makeVariant('inspect-run', { ROOT: '/work' })).toThrow('no variant inspect-run with ROOT')
    expect(() => makeVariant('run-doctor', {})).toThrow('no variant run-doctor with no values')
    expect(() => makeVariant('dance', { ROOT: '/work' })).toThrow('no variant dance with ROOT')
  })
})

function isValue(word: string): boolean {
  return Object.values(V).includes(word) && word !== '/work' && word !== SCOPE && word !== '8'
}

function withoutRun(argv: readonly string[]): readonly string[] {
  return argv.includes('run-1') ? argv.filter((word) => word !== 'run-1') : argv
}

describe('next', () => {
  const inspect = command('inspect-runs', 'drover status --root /work --json')

  it.each([
    ['a command under none', offer('none', inspect), '$.variants', 'must have at most 0 items'],
    ['no command under command', offer('command'), '$.variants', 'must have at least 1 item'],
    [
      'an unknown operation',
      offer('rest', inspect),
      '$.operation',
      'must be one of "action", "answer", "resume", "start", "command", "none"',
    ],
    ['an id twice', offer('command', inspect, inspect), '$.variants[1].id', 'must not be the id of another variant'],
    [
      'two roots',
      offer('command', inspect, command('list-runs', 'drover status --root /else --json')),
      '$.variants[1].base_argv',
      'must have the same --root as the others',
    ],
    [
      'a root that is not absolute',
      offer('command', command('inspect-runs', 'drover status --root work --json')),
      '$.variants[0].base_argv',
      'must be drover status --root ROOT --json, where ROOT is an absolute path',
    ],
    [
      'an id of another operation',
      offer('start', inspect),
      '$.variants[0].id',
      'must be a variant of the operation start: retry-run, start-with-source, start-from-issue, start-with-issue',
    ],
  ])('refuses %s', (_name, next, path, rule) => {
    expect(problemsOf(checkNext, next)).toEqual([{ path, rule }])
  })

  it.each([
    ['1', true],
    ['999', true],
    ['1000', true],
    ['0', false],
    ['1001', false],
    ['08', false],
    ['8.0', false],
    ['-8', false],
  ])('accepts a budget from 1 to 1000 in plain digits: %s', (budget, isAccepted) => {
    const retry = command('retry-run', START.replace('8', budget), [GOAL])
    expect(problemsOf(checkNext, offer('start', retry)).length === 0).toBe(isAccepted)
  })

  it.each([
    ['a', true],
    ['Run_1-x', true],
    ['r'.repeat(128), true],
    ['r'.repeat(129), false],
    ['a/b', false],
    ['a b', false],
  ])('accepts a run id of 1 to 128 letters, digits, underscores and hyphens: %s', (run, isAccepted) => {
    const variant = { id: 'inspect-run', base_argv: ['drover', 'status', run, '--root', '/work', '--json'], inputs: [] }
    expect(problemsOf(checkNext, offer('command', variant)).length === 0).toBe(isAccepted)
  })

  it.each([
    ['a run id', ['drover', 'status', '-x', '--root', '/work', '--json'], 'inspect-run', 'command'],
    ['an action id', SKIP.replace('action-1', '--root').split(' '), 'skip-action', 'action'],
  ])('refuses %s that would be parsed as a flag', (what, base_argv, id, operation) => {
    const [problem] = problemsOf(checkNext, offer(operation, { id, base_argv, inputs: [] }))
    expect(problem).toMatchObject({ path: '$.variants[0].base_argv' })
    expect(problem?.rule).toContain(`is ${what} that does not start with -`)
  })

  it('compares the roots of known commands only', () => {
    const strange = command('skip-action', SKIP.replace('action-1', '--root'))
    const submit = command('submit-outcome-stdin', `${SUBMIT} --outcome-stdin`)
    for (const variants of [
      [strange, submit],
      [submit, strange],
    ]) {
      expect(problemsOf(checkNext, offer('action', ...variants))).toEqual([
        {
          path: `$.variants[${variants.indexOf(strange)}].base_argv`,
          rule: expect.stringContaining('where ACTION is an action id'),
        },
      ])
    }
  })

  it('refuses a candidate id that would be parsed as a flag', () => {
    const keep = command('keep-pinned', `${RESUME} --source-choice pinned --candidate --root`, [BUD])
    expect(problemsOf(checkNext, offer('resume', keep))).toHaveLength(1)
  })

  it.each([
    ['a root', makeVariant('run-doctor', { ROOT: '/w\ud800' }), 'command'],
    ['an action id', makeVariant('skip-action', { RUN: 'r', ACTION: 'a\ud800', ROOT: '/' }), 'action'],
  ])('refuses %s with a lone surrogate', (_name, variant, operation) => {
    expect(problemsOf(checkNext, offer(operation, variant)).map(({ path }) => path)).toEqual([
      '$.variants[0].base_argv',
    ])
  })

  it.each(['/', '/work', 'C:\\work', 'c:/work', '\\\\host\\share'])('accepts the root %s', (root) => {
    expect(problemsOf(checkNext, offer('command', makeVariant('run-doctor', { ROOT: root })))).toEqual([])
  })
})

describe('the schema of next alone', async () => {
  const validators = await loadValidators({ nextInput: NextInput, nextVariant: NextVariant })
  const checkInput = checker('nextInput', validators.nextInput)
  const checkVariant = checker('nextVariant', validators.nextVariant)

  it.each(COMMANDS)('accepts $operation $id `$words`', ({ id, words, inputs }) => {
    expect(problemsOf(checkVariant, command(id, words, inputs))).toEqual([])
    for (const input of inputs) expect(problemsOf(checkInput, input)).toEqual([])
  })

  it.each([
    ['a digest', { ...OUT, type: 'digest' }, []],
    ['an enum with a choice', { ...OUT, type: 'enum', choices: ['a'] }, []],
    ['an enum without choices', { ...OUT, type: 'enum' }, ['$.choices']],
    ['an enum with no choice', { ...OUT, type: 'enum', choices: [] }, ['$.choices']],
    ['an enum with a choice twice', { ...OUT, type: 'enum', choices: ['a', 'b', 'a'] }, ['$.choices']],
    ['an enum with an empty choice', { ...OUT, type: 'enum', choices: [''] }, ['$.choices[0]']],
    ['choices without an enum', { ...OUT, choices: ['a'] }, ['$.choices']],
    ['an unknown type', { ...OUT, type: 'number' }, ['$.type']],
    ['a name that does not start with a letter', { ...OUT, name: '1st' }, ['$.name']],
    ['a name with a hyphen', { ...OUT, name: 'goal-file' }, ['$.name']],
    ['a flag without hyphens', { ...OUT, flag: 'goal' }, ['$.flag']],
    ['a flag with an underscore', { ...OUT, flag: '--goal_file' }, ['$.flag']],
  ])('checks an input: %s', (_name, input, paths) => {
    expect(problemsOf(checkInput, input).map(({ path }) => path)).toEqual(paths)
  })

  it.each([
    ['two words', ['drover', 'list'], []],
    ['one word', ['drover'], ['$.base_argv']],
    ['another program', ['git', 'status'], ['$.base_argv[0]']],
    ['an empty word', ['drover', ''], ['$.base_argv[1]']],
    ['a word with NUL', ['drover', 'a\0b'], ['$.base_argv[1]']],
    ['the placeholder FILE', ['drover', 'FILE'], ['$.base_argv[1]']],
    ['a quoted placeholder', ['drover', ' "FILE" '], ['$.base_argv[1]']],
    ['a placeholder in angle brackets', ['drover', '<path>'], ['$.base_argv[1]']],
    ['such a one over two lines', ['drover', "'<a\nb>'"], ['$.base_argv[1]']],
    ['words that only look like them', ['drover', 'FILES', 'a<b>c', '<b', '/FILE'], []],
  ])('checks a command: %s', (_name, base_argv, paths) => {
    expect(problemsOf(checkVariant, { id: 'x', base_argv, inputs: [] }).map(({ path }) => path)).toEqual(paths)
  })

  it.each([
    ['skip-action', true],
    ['a1', true],
    ['1a', false],
    ['Skip', false],
    ['skip_action', false],
    ['', false],
  ])('checks an id: %j', (id, isAccepted) => {
    const variant = command(id, 'drover list')
    expect(problemsOf(checkVariant, variant).length === 0).toBe(isAccepted)
  })
})
