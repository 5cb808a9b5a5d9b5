import { writeCanonicalJson } from '../kit/json/write-json.ts'
import { checker, type Problem, type Rule } from '../kit/schema.ts'
import { findDuplicates } from './duplicates.ts'
import type { Next, NextVariant } from './next.shape.ts'
import { mismatch, rootIn, VARIANTS } from './next-variants.ts'
import { validateNext } from './reports.generated.js'

function variantsAreDistinct({ variants }: Next): Problem[] {
  return findDuplicates(variants, ({ id }) => id).map((index) => ({
    path: `$.variants[${index}].id`,
    rule: 'must not be the id of another variant',
  }))
}

function commandsAreKnown(next: Next): Problem[] {
  return next.variants.flatMap((variant, index) => {
    const problem = findMismatch(next, variant)
    return problem === undefined ? [] : [{ ...problem, path: `$.variants[${index}].${problem.path}` }]
  })
}

/** The first difference between a variant and the table; `path` is the field of the variant. */
function findMismatch(next: Next, variant: NextVariant): Problem | undefined {
  const possible = VARIANTS.filter(({ operations }) => operations.some((operation) => operation === next.operation))
  const rows = possible.filter(({ id }) => id === variant.id)
  if (rows.length === 0) {
    const ids = [...new Set(possible.map(({ id }) => id))].join(', ')
    return { path: 'id', rule: `must be a variant of the operation ${next.operation}: ${ids}` }
  }
  const row = rows.find((each) => mismatch(each, variant.base_argv) === undefined)
  if (row === undefined) {
    const rules = rows.map((each) => mismatch(each, variant.base_argv))
    return { path: 'base_argv', rule: rules.join(', or ') }
  }
  const isSame = writeCanonicalJson(row.inputs) === writeCanonicalJson(variant.inputs)
  const names = row.inputs.map(({ name }) => name).join(', ')
  return isSame ? undefined : { path: 'inputs', rule: `must be exactly: ${names || 'none'}` }
}

function rootsAreTheSame({ variants }: Next): Problem[] {
  const roots = variants.map(findRoot)
  const first = roots.find((root) => root !== undefined)
  return roots.flatMap((root, index) =>
    root === undefined || root === first
      ? []
      : [{ path: `$.variants[${index}].base_argv`, rule: 'must have the same --root as the others' }],
  )
}

/** Found by its position in the table, because a value may look like the flag. Undefined for an unknown command. */
function findRoot({ id, base_argv }: NextVariant): string | undefined {
  const row = VARIANTS.find((each) => each.id === id && mismatch(each, base_argv) === undefined)
  return row && rootIn(row, base_argv)
}

export const nextRules: readonly Rule<Next>[] = [variantsAreDistinct, commandsAreKnown, rootsAreTheSame]

export const checkNext = checker<Next>('next', validateNext, nextRules)
