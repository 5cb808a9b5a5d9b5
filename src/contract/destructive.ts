import { type Digest, digest } from '../kit/digest.ts'
import { writeJson } from '../kit/json/write-json.ts'
import type { Problem, Rule } from '../kit/schema.ts'
import { compareBytes } from '../kit/utf8.ts'
import type { DestructiveAuthorization, DestructiveRequest } from './destructive.shape.ts'

type Scope = DestructiveRequest | DestructiveAuthorization

/** The fields of a destructive request that a person confirms. */
type ConfirmedFields = {
  readonly impact: string
  readonly request_id: string
  readonly targets: readonly { readonly kind: string; readonly value: string }[]
}

/** The digest that a person confirms. It depends on the order of the targets, so check the scope first. */
export function digestScope({ impact, request_id, targets }: ConfirmedFields): Digest {
  // The order of the keys is part of the digest, here and in each target.
  const onlyKnownFields = targets.map(({ kind, value }) => ({ kind, value }))
  return digest(writeJson({ impact, request_id, scope_version: 1, targets: onlyKnownFields }))
}

/** Unsorted targets are refused, not sorted: a person confirms the order too. */
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
