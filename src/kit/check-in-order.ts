/**
 * Checks that run in a fixed, published order and report only the first problem, so that every implementation reports
 * the same problem for the same bytes.
 */
import { messageInvalid } from './faults.ts'
import { jsonLocation } from './json-value.ts'
import { findProblems, type Problem, type Rule, type Validate } from './schema.ts'

/** Makes a function that returns a value in which no step finds a problem, and throws `message_invalid` otherwise. */
export function checkerInOrder<T>(message: string, steps: readonly Rule<T>[]): (value: unknown) => T {
  return (value) => {
    const fitting = value as T
    const problem = firstProblem(steps, fitting)
    if (problem !== undefined) throw messageInvalid({ message, problems: [problem] })
    return fitting
  }
}

/** A later step may rely on the earlier ones: it never sees a value in which they found a problem. */
function firstProblem<T>(steps: readonly Rule<T>[], value: T): Problem | undefined {
  for (const step of steps) {
    const [problem] = step(value)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Makes a step of a validator. */
export function step<T>(validate: Validate): Rule<T> {
  return (value) => findProblems(validate, value)
}

/** Makes steps that check one field each. `validate` is for the whole object, with all fields optional. */
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

/** An item of a list in `whole`. */
export type IndexedItem<I, T> = { readonly item: I; readonly index: number; readonly whole: T }

/** Makes a step that runs `steps` on each item of a list, in order. Their paths are relative to the item. */
export function onEach<const F extends string, I, T extends { readonly [K in F]: readonly I[] }>(
  field: F,
  steps: readonly Rule<IndexedItem<I, T>>[],
): Rule<T> {
  return (whole) => {
    for (const [index, item] of whole[field].entries()) {
      const problem = firstProblem(steps, { item, index, whole })
      const location = jsonLocation([field, index])
      if (problem !== undefined) return [{ ...problem, path: problem.path.replace('$', () => location) }]
    }
    return []
  }
}

/** Makes a step for an item of a step that needs only the item itself. */
export function ofItem<I>(step: Rule<I>): Rule<IndexedItem<I, unknown>> {
  return ({ item }) => step(item)
}
