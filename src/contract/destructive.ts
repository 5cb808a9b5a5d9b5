import { digestScope } from '../kit/digest.ts'
import type { Problem, Rule } from '../kit/schema.ts'
import { compareBytes } from '../kit/utf8.ts'
import type { DestructiveAuthorization, DestructiveRequest } from './destructive.shape.ts'

type Scope = DestructiveRequest | DestructiveAuthorization

/** Unsorted targets are refused, never sorted: their order is part of what a person confirms. */
function targetsAreSorted({ targets }: Scope): Problem[] {
  const index = targets.findIndex((target, at) => {
    const before = targets[at - 1]
    return before !== undefined && compareTargets(before, target) >= 0
  })
  return index === -1
    ? []
    : [{ path: `$.targets[${index}]`, rule: 'must come after the one before it by kind and value' }]
}

function compareTargets(a: Scope['targets'][number], b: Scope['targets'][number]): number {
  return compareBytes(a.kind, b.kind) || compareBytes(a.value, b.value)
}

function scopeIsExact(scope: Scope): Problem[] {
  const expected = digestScope(scope)
  return scope.scope_sha256 === expected
    ? []
    : [{ path: '$.scope_sha256', rule: `must be the digest of this scope, ${expected}` }]
}

export const destructiveRules: readonly Rule<Scope>[] = [targetsAreSorted, scopeIsExact]
