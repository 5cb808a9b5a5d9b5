import { describe, expect, it } from 'vitest'
import { action, RUN } from '../../scripts/protocol-examples.ts'
import { ACTIONS, boundAction, destructiveAuthorization } from '../../test/support/contract-examples.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { actionBytes, checkAction } from './action.ts'
import { LIMITS } from './limits.ts'

const { source, requirements } = boundAction
const KINDS = ['orient', 'clarify', 'implement', 'review', 'summarize']

describe('an action', () => {
  it.each(Object.entries(ACTIONS))('can be %s', (_name, value) => {
    expect(problemsOf(checkAction, value)).toEqual([])
  })

  const parts = [{}, { source }, { requirements }, { source, requirements }]
  const grants = [{}, { destructive_authorization: destructiveAuthorization }]
  const forms = KINDS.flatMap((kind) =>
    parts.flatMap((bound) => grants.map((grant) => ({ kind, fields: { ...bound, ...grant } }))),
  )
  it.each(forms.map((form) => ({ ...form, names: Object.keys(form.fields).join(' and ') || 'nothing' })))(
    'of the kind $kind with $names is legal only in the six forms',
    ({ kind, fields }) => {
      const isLegal =
        'source' in fields === 'requirements' in fields &&
        (kind === 'implement' || !('destructive_authorization' in fields))
      expect(problemsOf(checkAction, { ...action, kind, ...fields }).length === 0).toBe(isLegal)
    },
  )

  it.each(['g', '"', '\\', '\n', '\r', '\t', 'ä', '\u2028', '🐑'])('has at most 262144 bytes as JSON of %j', (unit) => {
    const empty = `${JSON.stringify({ ...action, goal: '' })}\n`
    const space = LIMITS.actionBytes - Buffer.byteLength(empty)
    const size = Buffer.byteLength(JSON.stringify(unit)) - 2
    const goal = `${unit.repeat(Math.floor(space / size) - 1)}${'g'.repeat(size + (space % size))}`
    const fitting = { ...action, goal }
    expect(actionBytes(fitting)).toBe(LIMITS.actionBytes)
    expect(problemsOf(checkAction, fitting)).toEqual([])
    expect(problemsOf(checkAction, { ...fitting, goal: `${fitting.goal}g` })).toEqual([
      { path: '$', rule: 'must have at most 262144 bytes as JSON and has 262145' },
    ])
  })

  it.each([
    [
      'another revision of the requirements',
      { requirements: { ...requirements, requirements_revision: source.source_revision } },
      '$.requirements.requirements_revision',
      'must be the requirements_revision of the source',
    ],
    [
      'a reader for another run',
      { run_id: 'other' },
      '$.requirements.reader.base_argv',
      'must name the run and the action that carry it',
    ],
    [
      'a reader for another action',
      { action_id: 'other' },
      '$.requirements.reader.base_argv',
      'must name the run and the action that carry it',
    ],
    [
      'a section that need not be read',
      { requirements: { ...requirements, required_for_action: requirements.required_for_action.slice(1) } },
      '$.requirements.required_for_action',
      'must be the keys of all sections, in order',
    ],
    [
      'keys in another order',
      { requirements: { ...requirements, required_for_action: requirements.required_for_action.toReversed() } },
      '$.requirements.required_for_action',
      'must be the keys of all sections, in order',
    ],
    [
      'a section that cannot be read',
      { requirements: { ...requirements, reader: readerOf(requirements.reader.input.choices.slice(1)) } },
      '$.requirements.reader.input.choices',
      'must be the keys of all sections, in order',
    ],
  ])('refuses %s', (_name, change, path, rule) => {
    expect(problemsOf(checkAction, { ...boundAction, ...change })).toEqual([{ path, rule }])
  })

  it('refuses two sections with one key', () => {
    const [first, ...others] = requirements.sections
    const sections = [first, { ...others[0], key: first?.key }, ...others.slice(1)]
    expect(problemsOf(checkAction, { ...boundAction, requirements: { ...requirements, sections } })).toContainEqual({
      path: '$.requirements.sections[1].key',
      rule: 'must not be the key of another section',
    })
  })

  it('has a reader in exactly nine words', () => {
    const { reader } = requirements
    const words: readonly string[] = reader.base_argv
    const broken = [words.slice(0, 8), [...words, 'x'], ...[0, 1, 2, 3, 5, 7].map((index) => words.with(index, 'x'))]
    for (const base_argv of broken) {
      const [problem] = problemsOf(checkAction, {
        ...boundAction,
        requirements: { ...requirements, reader: { ...reader, base_argv } },
      })
      expect(problem?.path).toMatch(/^\$\.requirements\.reader\.base_argv/)
    }
  })

  it('is checked with the rules of its authorization', () => {
    const grant = { ...destructiveAuthorization, impact: 'More is gone.' }
    const problems = problemsOf(checkAction, { ...action, kind: 'implement', destructive_authorization: grant })
    expect(problems.map(({ path }) => path)).toEqual(['$.destructive_authorization.scope_sha256'])
  })

  it.each([
    ['2026-01-31T10:05:00Z', true],
    ['2026-01-31T10:05:00.123456789Z', true],
    ['2026-01-31T10:05:00+00:00', false],
    ['2026-01-31T10:05:00z', false],
    ['2026-01-31', false],
  ])('has an authorization with a UTC timestamp: %s', (confirmed_at, isAccepted) => {
    const grant = { ...destructiveAuthorization, confirmed_at }
    const value = { ...action, run_id: RUN, kind: 'implement', destructive_authorization: grant }
    expect(problemsOf(checkAction, value).length === 0).toBe(isAccepted)
  })
})

function readerOf(choices: readonly string[]) {
  return { ...requirements.reader, input: { ...requirements.reader.input, choices } }
}
