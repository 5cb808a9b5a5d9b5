import { Type } from 'typebox'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadValidators } from '../../test/support/load-validators.ts'
import { Fault } from './fault.ts'
import { checker, findProblems, formatPath, type OptionalFields, omitEmpty, type Validate, within } from './schema.ts'
import { literals, named, sequence, strict, tagged, textLike, textUpToBytes, wideInteger } from './shape.ts'

const Part = named('part', strict({ size: Type.Integer({ minimum: 1, maximum: 3 }) }))

const SHAPES = {
  parcel: strict({
    name: Type.String({ minLength: 1, maxLength: 5 }),
    key: Type.Optional(textLike('^[a-z]+$', 'lowercase letters')),
    mode: Type.Optional(literals(['slow', 'fast'])),
    note: Type.Optional(textUpToBytes(4)),
    moment: Type.Optional(Type.String({ format: 'date-time' })),
    nanos: Type.Optional(wideInteger()),
    parts: Type.Optional(Type.Array(Part, { minItems: 1, maxItems: 2, uniqueItems: true })),
    extra: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    version: Type.Optional(Type.Literal(2)),
  }),
  result: tagged('operation', [
    strict({ operation: Type.Literal('created'), budget: Type.Literal(false), id: Type.String({ minLength: 1 }) }),
    strict({ operation: literals(['refreshed', 'skipped']), budget: Type.Literal(true) }),
  ]),
  record: tagged('outcome', [
    strict({ outcome: Type.Object({}), digest: Type.String() }),
    strict({ note: Type.Optional(Type.String()) }),
  ]),
  report: tagged('kind', [
    tagged('status', [
      strict({ kind: Type.Literal('build'), status: literals(['done', 'failed']) }),
      strict({ kind: Type.Literal('build'), status: Type.Literal('waiting'), question: Type.String() }),
    ]),
    strict({ kind: Type.Literal('sum'), status: Type.Literal('done') }),
  ]),
  call: strict({
    words: sequence<readonly string[]>([Type.Literal('go'), Type.String(), Type.Literal('now')], { minItems: 2 }),
    none: Type.Optional(sequence<readonly []>([])),
  }),
  owner: tagged('foreign', [
    strict({ foreign: Type.Literal(true) }),
    strict({ foreign: Type.Optional(Type.Literal(false)), actions: Type.Array(Type.String()) }),
  ]),
}

let validators: Record<keyof typeof SHAPES, Validate>
let thorough: Record<keyof typeof SHAPES, Validate>

beforeAll(async () => {
  validators = await loadValidators(SHAPES)
  thorough = await loadValidators(SHAPES, { allProblems: true })
})

describe('findProblems', () => {
  it.each([
    ['a missing field', {}, '$.name', 'is required'],
    ['an unknown field', { name: 'a', size: 1 }, '$.size', 'is not a known field (allowed: '],
    ['a misspelt field', { nmae: 'a', name: 'a' }, '$.nmae', 'is not a known field (did you mean "name"?)'],
    ['a wrong type', { name: 5 }, '$.name', 'must be a string'],
    ['null', { name: null }, '$.name', 'must be a string'],
    ['an empty text', { name: '' }, '$.name', 'must not be empty'],
    ['a long text', { name: 'abcdef' }, '$.name', 'must have at most 5 characters'],
    ['a pattern, in words', { name: 'a', key: 'A' }, '$.key', 'must be lowercase letters'],
    ['an enum', { name: 'a', mode: 'Fast' }, '$.mode', 'must be one of "slow", "fast"'],
    ['a constant', { name: 'a', version: 3 }, '$.version', 'must be 2'],
    ['too many bytes', { name: 'a', note: 'äöü' }, '$.note', 'must have at most 4 bytes in UTF-8'],
    ['a moment', { name: 'a', moment: '2026-02-30' }, '$.moment', 'must be an RFC 3339 date-time'],
    ['a fraction', { name: 'a', nanos: 1.5 }, '$.nanos', 'must be an integer'],
    ['an unsafe number', { name: 'a', nanos: 2 ** 60 }, '$.nanos', 'must be an integer'],
    [
      'a number of 2^53',
      { name: 'a', parts: [{ size: 2n ** 53n }] },
      '$.parts[0].size',
      `is larger than ${2 ** 53 - 1}`,
    ],
    [
      'a number of -2^53',
      { name: 'a', parts: [{ size: -(2n ** 53n) }] },
      '$.parts[0].size',
      'is smaller than -9007199',
    ],
    ['too few items', { name: 'a', parts: [] }, '$.parts', 'must have at least 1 item'],
    ['too many items', { name: 'a', parts: [1, 2, 3] }, '$.parts', 'must have at most 2 items'],
    [
      'equal items',
      { name: 'a', parts: [{ size: 1 }, { size: 1 }] },
      '$.parts',
      'must not contain the same item twice',
    ],
    ['a small number', { name: 'a', parts: [{ size: 0 }] }, '$.parts[0].size', 'must be at least 1'],
    ['a large number', { name: 'a', parts: [{ size: 2 }, { size: 4 }] }, '$.parts[1].size', 'must be at most 3'],
    ['a union, no branch by type', { name: 'a', extra: 5 }, '$.extra', 'must be a string or an array'],
    ['a union, one branch by type', { name: 'a', extra: ['a', 5] }, '$.extra[1]', 'must be a string'],
    ['no object at all', 'x', '$', 'must be an object'],
  ])('reports the path and the rule for %s', (_name, value, path, rule) => {
    expect(findProblems(validators.parcel, value)).toEqual([{ path, rule: expect.stringContaining(rule) }])
  })

  it.each([
    ['text at the byte limit', { name: 'a', note: 'äö' }],
    ['an integer beyond 2^53', { name: 'a', nanos: 1_700_000_000_000_000_001n }],
    ['a safe integer in its place', { name: 'a', nanos: 7 }],
    ['characters counted as code points', { name: '😀😀😀😀😀' }],
    ['either branch of a union', { name: 'a', extra: ['b'] }],
  ])('accepts %s', (_name, value) => {
    expect(findProblems(validators.parcel, value)).toEqual([])
  })

  it('reports the first problem or all, depending on the validator', () => {
    const value = { name: '', mode: 'x', note: 'äöü' }
    expect(findProblems(validators.parcel, value)).toHaveLength(1)
    expect(findProblems(thorough.parcel, value).map((problem) => problem.path)).toEqual(['$.name', '$.mode', '$.note'])
  })

  it('does not change the value', () => {
    const value = Object.freeze({ name: 'a', nanos: 7, size: '1' })
    findProblems(thorough.parcel, value)
    expect(value).toEqual({ name: 'a', nanos: 7, size: '1' })
  })
})

describe('a tagged shape', () => {
  it.each([
    ['an unknown tag', { operation: 'gone' }, '$.operation', 'must be one of "created", "refreshed", "skipped"'],
    ['a missing tag', { budget: true }, '$.operation', 'is required'],
    ['a field of another branch', { operation: 'skipped', budget: true, id: 'x' }, '$.id', 'is not a known field'],
    ['a field missing in this branch', { operation: 'created', budget: false }, '$.id', 'is required'],
    ['a literal of another branch', { operation: 'created', budget: true, id: 'x' }, '$.budget', 'must be false'],
  ])('reports only the branch of the tag: %s', (_name, value, path, rule) => {
    expect(findProblems(thorough.result, value)).toEqual([{ path, rule: expect.stringContaining(rule) }])
  })

  it.each([
    [{ operation: 'created', budget: false, id: 'x' }],
    [{ operation: 'refreshed', budget: true }],
    [{ operation: 'skipped', budget: true }],
  ])('accepts %j', (value) => {
    expect(findProblems(validators.result, value)).toEqual([])
  })

  it('chooses the branch that may omit the tag if it is absent', () => {
    expect(findProblems(thorough.owner, { actions: [] })).toEqual([])
    expect(findProblems(thorough.owner, { foreign: false, actions: [] })).toEqual([])
    expect(findProblems(thorough.owner, { foreign: true })).toEqual([])
    expect(findProblems(thorough.owner, {})).toEqual([{ path: '$.actions', rule: 'is required' }])
    expect(findProblems(thorough.owner, { foreign: true, actions: [] })).toEqual([
      { path: '$.actions', rule: 'is not a known field (allowed: foreign)' },
    ])
  })
})

describe('a shape that is chosen by the presence of a field', () => {
  it.each([
    ['the field brings another', { outcome: {} }, '$.digest', 'is required'],
    ['the field is not of its type', { outcome: 5, digest: 'x' }, '$.outcome', 'must be an object'],
    [
      'a field that belongs to it is present without it',
      { digest: 'x' },
      '$.digest',
      'is not a known field (allowed: note)',
    ],
    ['a field that does not go with it', { outcome: {}, digest: 'x', note: 'y' }, '$.note', 'is not a known field'],
  ])('is checked against that branch only: %s', (_name, value, path, rule) => {
    expect(findProblems(thorough.record, value)).toEqual([{ path, rule: expect.stringContaining(rule) }])
  })

  it.each([[{ outcome: {}, digest: 'x' }], [{ note: 'y' }], [{}]])('accepts %j', (value) => {
    expect(findProblems(validators.record, value)).toEqual([])
  })
})

describe('a tagged shape in a tagged shape', () => {
  it.each([
    ['an unknown outer tag', { kind: 'x', status: 'done' }, '$.kind', 'must be one of "build", "sum"'],
    ['no outer tag', { status: 'done' }, '$.kind', 'is required'],
    ['an inner tag of another branch', { kind: 'sum', status: 'failed' }, '$.status', 'must be "done"'],
    ['an unknown inner tag', { kind: 'build', status: 'x' }, '$.status', 'must be one of "done", "failed", "waiting"'],
    ['a field missing inside', { kind: 'build', status: 'waiting' }, '$.question', 'is required'],
  ])('is checked against the branch of both tags: %s', (_name, value, path, rule) => {
    expect(findProblems(thorough.report, value)).toEqual([{ path, rule: expect.stringContaining(rule) }])
  })

  it.each([[{ kind: 'build', status: 'failed' }], [{ kind: 'sum', status: 'done' }]])('accepts %j', (value) => {
    expect(findProblems(validators.report, value)).toEqual([])
  })
})

describe('a sequence', () => {
  it.each([
    [['go', 'there', 'now'], []],
    [['go', 'there'], []],
    [['go'], [{ path: '$.words', rule: 'must have at least 2 items' }]],
    [['go', 'there', 'now', 'now'], [{ path: '$.words', rule: 'must have at most 3 items' }]],
    [['go', 'there', 'then'], [{ path: '$.words[2]', rule: 'must be "now"' }]],
  ])('has its items in order: %j', (words, problems) => {
    expect(findProblems(validators.call, { words })).toEqual(problems)
  })

  it('can be empty', () => {
    expect(findProblems(validators.call, { words: ['go', 'x'], none: [] })).toEqual([])
    expect(findProblems(validators.call, { words: ['go', 'x'], none: ['y'] })).toEqual([
      { path: '$.none', rule: 'must have at most 0 items' },
    ])
  })
})

describe('checker', () => {
  const evenName = (value: { name: string }) =>
    value.name.length % 2 === 0 ? [] : [{ path: '$.name', rule: 'must have an even number of letters' }]

  it('returns the same value if it is valid', () => {
    const value = { name: 'ab' }
    expect(checker<{ name: string }>('parcel', validators.parcel, [evenName])(value)).toBe(value)
  })

  it('throws one fault with every problem', () => {
    const check = checker('parcel', thorough.parcel)
    const error = refusalOf(() => check({ name: '', mode: 'x' }))
    expect({ code: error.code, kind: error.kind, details: error.details, message: error.message }).toEqual({
      code: 'message_invalid',
      kind: 'invalid',
      details: {
        message: 'parcel',
        problems: [
          { path: '$.name', rule: 'must not be empty' },
          { path: '$.mode', rule: 'must be one of "slow", "fast"' },
        ],
      },
      message: 'parcel is not valid: $.name must not be empty; $.mode must be one of "slow", "fast"',
    })
  })

  it('applies rules only to values that fit the schema', () => {
    const check = checker<{ name: string }>('parcel', validators.parcel, [evenName])
    expect(refusalOf(() => check({})).message).toBe('parcel is not valid: $.name is required')
    expect(refusalOf(() => check({ name: 'a' })).message).toBe(
      'parcel is not valid: $.name must have an even number of letters',
    )
  })
})

describe('within', () => {
  type Box = { size: number }
  const small = ({ size }: Box) => (size < 5 ? [] : [{ path: '$.size', rule: 'must be small' }])
  const even = ({ size }: Box) => (size % 2 === 0 ? [] : [{ path: '$', rule: 'must be even' }])
  const rule = within('box', [small, even])

  it.each([
    ['a part that keeps them', { box: { size: 2 } }, []],
    ['a part that breaks one', { box: { size: 6 } }, [['$.box.size', 'must be small']]],
    [
      'a part that breaks two',
      { box: { size: 7 } },
      [
        ['$.box.size', 'must be small'],
        ['$.box', 'must be even'],
      ],
    ],
    [
      'a list of parts',
      { box: [{ size: 2 }, { size: 8 }, { size: 1 }] },
      [
        ['$.box[1].size', 'must be small'],
        ['$.box[2]', 'must be even'],
      ],
    ],
    ['no part', {}, []],
    ['null in its place', { box: null }, []],
  ])('applies the rules to %s', (_name, value, problems) => {
    expect(rule(value)).toEqual(problems.map(([path, broken]) => ({ path, rule: broken })))
  })

  it('works for nested parts', () => {
    expect(within('shelf', [rule])({ shelf: [{ box: { size: 2 } }, { box: [{ size: 6 }] }] })).toEqual([
      { path: '$.shelf[1].box[0].size', rule: 'must be small' },
    ])
  })
})

describe('many problems', () => {
  it('are not all listed, and are found in a time that grows with their number only', () => {
    const fails = (items: number): Validate =>
      Object.assign(() => false, {
        errors: Array.from({ length: items }, (_, at) => ({
          keyword: 'type',
          instancePath: `/${at}`,
          params: { type: 'object' },
        })),
      })
    for (const [items, listed] of [
      [100, 100],
      [101, 100],
      [1_000_000, 100],
    ] as const)
      expect(findProblems(fails(items), [])).toHaveLength(listed)
  })

  it('of a rule are not all listed, and fewer are named in the message', () => {
    const check = (count: number) => () =>
      checker(
        'it',
        Object.assign(() => true, {}),
        [() => Array.from({ length: count }, (_, at) => ({ path: `$[${at}]`, rule: 'is odd' }))],
      )([])
    expect(refusalOf(check(101)).details).toMatchObject({ problems: { length: 100 } })
    expect(refusalOf(check(20)).message).toMatch(/\$\[19\] is odd$/)
    expect(refusalOf(check(21)).message).toMatch(/\$\[19\] is odd; and more$/)
  })
})

describe('formatPath', () => {
  it.each([
    [[], '$'],
    [['a', 'b_1'], '$.a.b_1'],
    [['list', '0'], '$.list[0]'],
    [['a', '0'], '$.a.0'],
    [['odd key'], '$["odd key"]'],
    [['a"b', ''], '$["a\\"b"][""]'],
  ])('formats %j', (steps, path) => {
    expect(formatPath({ list: [1], a: {} }, steps)).toBe(path)
  })
})

function refusalOf(act: () => unknown): Fault {
  try {
    act()
  } catch (error) {
    if (error instanceof Fault) return error
  }
  throw new Error('nothing was refused')
}

const TASK: OptionalFields = {
  names: ['model', 'workdir', 'approval_mode', 'name', 'max_turns', 'ephemeral', 'extra', 'metadata', 'system_prompt'],
  within: {},
}
const CALL: OptionalFields = {
  names: [...TASK.names, 'max_parallel', 'timeout_secs', 'max_tokens', 'options'],
  within: { tasks: TASK, options: TASK },
}

describe('omitEmpty', () => {
  it.each<[string, unknown, unknown]>([
    ['empty texts', { model: '', workdir: '', approval_mode: '' }, {}],
    ['zeros', { max_turns: 0, timeout_secs: 0, max_parallel: 0 }, {}],
    ['null in every optional field', Object.fromEntries(CALL.names.map((name) => [name, null])), {}],
    ['the fields of requests in a list', { tasks: [{ model: '', prompt: 'x' }, 7] }, { tasks: [{ prompt: 'x' }, 7] }],
    ['the fields of a request in a field', { options: { name: '', extra: null } }, { options: {} }],
  ])('removes %s', (_name, given, left) => {
    expect(omitEmpty(given, CALL)).toEqual(left)
  })

  it.each<[string, unknown]>([
    ['a field that is not optional', { backend: '', prompt: '', tasks: null }],
    ['a field that is not known', { constructor: null, unheard_of: null }],
    ['an empty system prompt, which overrides the config', { system_prompt: '' }],
    ['an empty list of arguments, which overrides those of a session', { extra: [] }],
    ['a limit of nothing', { max_tokens: 0 }],
    ['null inside a value', { metadata: { model: null }, extra: [null] }],
    ['invalid values', { max_turns: -1, max_parallel: -1, model: 0, workdir: 0, ephemeral: '' }],
    ['a list in a list', { tasks: [[{ model: '' }]] }],
    ['what is not an object', [{ model: '' }]],
    ['null', null],
    ['nothing', undefined],
  ])('leaves %s', (_name, given) => {
    expect(omitEmpty(given, CALL)).toEqual(given)
  })

  it('leaves what is no request', () => {
    expect(omitEmpty({ model: null }, undefined)).toEqual({ model: null })
  })
})
