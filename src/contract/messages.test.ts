import { describe, expect, it } from 'vitest'
import { contractSchema, MESSAGE_SHAPES } from '../../scripts/contract-schema.ts'
import { ALL_EXAMPLES, type Example } from '../../test/support/contract-examples.ts'
import { MESSAGE_CHECKERS, type MessageName } from '../../test/support/message-checkers.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { MessageWalker, type Visit } from '../../test/support/walk-message.ts'
import { jsonLocation } from '../kit/json-value.ts'
import type { Problem } from '../kit/schema.ts'

/** These fields select a branch, so an object without them may fit another branch. The tests of the messages cover them. */
const BRANCH_FIELDS = [
  ...['source', 'workspace_foreign', 'review_projection', 'outcome', 'resume_operation'],
  ...['phase', 'expected_workspace_identity', 'transaction_outcome', 'context', 'pinned_issue_id'],
]

const walker = new MessageWalker(JSON.parse(contractSchema()))

const checkers: Record<MessageName, (value: unknown) => unknown> = MESSAGE_CHECKERS

describe('the checkers of messages', () => {
  it('cover every message, in the order of the protocol', () => {
    expect(Object.keys(MESSAGE_CHECKERS)).toEqual([
      ...['action', 'actionMaterial', 'pinnedMaterial', 'rawSourceEnvelope', 'outcome', 'protocolState'],
      ...['cliError', 'changeReport', 'listReport', 'doctorReport', 'runStatus', 'statusList'],
    ])
  })

  it('cover every shape, under the same name', () => {
    expect(Object.keys(MESSAGE_CHECKERS)).toEqual(Object.keys(MESSAGE_SHAPES))
  })

  it.each(ALL_EXAMPLES)('return $message, $name, unchanged', ({ message, value }) => {
    expect(checkers[message](value)).toBe(value)
  })

  it.each(Object.keys(MESSAGE_CHECKERS) as MessageName[])('refuse anything but an object as %s', (message) => {
    for (const value of [null, undefined, 5, 'text', [], true]) {
      expect(problemsOf(checkers[message], value)).toEqual([{ path: '$', rule: 'must be an object' }])
    }
  })
})

describe('the examples', () => {
  it('use every object of the schema', () => {
    const visited = new Set(ALL_EXAMPLES.flatMap(visitsOf).map(({ pointer }) => pointer))
    expect(walker.objectPointers().filter((pointer) => !visited.has(pointer))).toEqual([])
  })
})

describe.each(ALL_EXAMPLES)('$message, $name', (example) => {
  const visits = visitsOf(example)

  it('requires each required field, at every depth', () => {
    const cases = visits.flatMap(({ steps, schema }) => {
      const required = ((schema['required'] ?? []) as string[]).filter((field) => !BRANCH_FIELDS.includes(field))
      return required.map((field) => [...steps, field])
    })
    const wrong = cases.filter((steps) => {
      const value = changed(example.value, steps, remove)
      const problems = problemsOf(checkers[example.message], value)
      return (
        walker.fits(example.message, value) || !blames(problems, { path: jsonLocation(steps), rule: 'is required' })
      )
    })
    expect(wrong).toEqual([])
  })

  it('refuses an unknown field, at every depth', () => {
    const wrong = visits.filter(({ steps }) => {
      const place = [...steps, 'zz_unknown']
      const value = changed(example.value, place, put(1))
      const expected = { path: jsonLocation(place), rule: 'is not a known field' }
      return walker.fits(example.message, value) || !blames(problemsOf(checkers[example.message], value), expected)
    })
    expect(wrong.map(({ steps }) => jsonLocation(steps))).toEqual([])
  })

  it('refuses an unrelated object for every field, at every depth', () => {
    const wrong = visits
      .flatMap(({ steps, schema }) => Object.keys(schema['properties'] as object).map((name) => [...steps, name]))
      .filter(
        (steps) => problemsOf(checkers[example.message], changed(example.value, steps, put({ zz: 1 }))).length === 0,
      )
    expect(wrong.map(jsonLocation)).toEqual([])
  })

  it('refuses null for every field that is not null, at every depth', () => {
    const wrong = fieldsOf(example, visits).filter((steps) => {
      const value = changed(example.value, steps, put(null))
      return problemsOf(checkers[example.message], value).length === 0
    })
    expect(wrong.map(jsonLocation)).toEqual([])
  })
})

function visitsOf({ message, value }: Example): Visit[] {
  return walker.visits(message, value)
}

/** The paths of all fields that are not null. */
function fieldsOf(example: Example, visits: readonly Visit[]): (string | number)[][] {
  return visits.flatMap(({ steps }) => {
    const object = steps.reduce((part, step) => part[step] as Parts, example.value as Parts)
    return Object.keys(object)
      .filter((name) => object[name] !== null)
      .map((name) => [...steps, name])
  })
}

type Parts = { [step: string | number]: unknown }

function blames(problems: readonly Problem[], { path, rule }: Problem): boolean {
  return problems.length === 1 && problems[0]?.path === path && problems[0].rule.startsWith(rule)
}

type Change = (object: Parts, name: string | number) => void

const remove: Change = (object, name) => {
  delete object[name]
}

const put =
  (value: unknown): Change =>
  (object, name) => {
    object[name] = value
  }

function changed(value: object, steps: readonly (string | number)[], change: Change): unknown {
  const copy = copyOf(value)
  const object = steps.slice(0, -1).reduce((part, step) => part[step] as Parts, copy as Parts)
  change(object, steps.at(-1) ?? '')
  return copy
}

/** Unlike a structured clone, this does not share parts that occur twice. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]))
}
