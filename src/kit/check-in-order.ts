/**
 * Checks that go step by step. Where several things are wrong with an input, the first of them in a published order is
 * the one that is reported, so that every reader of the same bytes names the same thing.
 */
import { messageInvalid } from './faults.ts'
import { jsonLocation } from './json-location.ts'
import { findProblems, type Problem, type Rule, type Validate } from './schema.ts'

/** Makes the function that lets only values through in which none of the steps finds a problem. */
export function checkerInOrder<T>(message: string, steps: readonly Rule<T>[]): (value: unknown) => T {
  return (value) => {
    const fitting = value as T
    const problem = firstProblem(steps, fitting)
    if (problem !== undefined) throw messageInvalid({ message, problems: [problem] })
    return fitting
  }
}

/** No step is asked about a value in which an earlier one found a problem. */
function firstProblem<T>(steps: readonly Rule<T>[], value: T): Problem | undefined {
  for (const step of steps) {
    const [problem] = step(value)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The step that a validator is. */
export function step<T>(validate: Validate): Rule<T> {
  return (value) => findProblems(validate, value)
}

/** Makes steps that look at one field each, by a validator of the fields of the object, all of which are optional to it. */
export function fieldSteps<T extends object>(validate: Validate) {
  type Name = keyof T & string
  const optional =
    (name: Name): Rule<T> =>
    (value) =>
      value[name] === undefined ? [] : findProblems(validate, { [name]: value[name] })
  const required =
    (name: Name): Rule<T> =>
    (value) =>
      value[name] === undefined ? [{ path: jsonLocation([name]), rule: 'is required' }] : optional(name)(value)
  return { required, optional }
}

/** An item of a list that `whole` holds. */
export type Item<I, T> = { readonly item: I; readonly index: number; readonly whole: T }

/** The step that takes the items of a list, one after the other, through steps of their own. Paths there begin at the item. */
export function eachOf<const F extends string, I, T extends { readonly [K in F]: readonly I[] }>(
  field: F,
  steps: readonly Rule<Item<I, T>>[],
): Rule<T> {
  return (whole) => {
    for (const [index, item] of whole[field].entries()) {
      const problem = firstProblem(steps, { item, index, whole })
      const place = jsonLocation([field, index])
      if (problem !== undefined) return [{ ...problem, path: problem.path.replace('$', () => place) }]
    }
    return []
  }
}

/** A step for an item that looks at nothing but the item. */
export function ofItem<I>(step: Rule<I>): Rule<Item<I, unknown>> {
  return ({ item }) => step(item)
}
