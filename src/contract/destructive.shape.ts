import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../kit/shape.ts'
import { Digest, RequestId, UtcTimestamp } from './identifiers.shape.ts'
import { NonEmptyMarkdownText, NonEmptyPlainText } from './text-kinds.shape.ts'

const DestructiveTarget = named(
  'destructiveTarget',
  strict(
    {
      kind: literals(['path', 'git_ref', 'external_resource', 'data_domain'], {
        description: 'Kind of target.',
      }),
      value: meaning('The target.', NonEmptyPlainText),
    },
    { title: 'Destructive target', description: 'Something that cannot be restored after the operation.' },
  ),
)

/** Shared, because a grant must equal its request. */
const scope = {
  request_id: meaning('Id of the request.', RequestId),
  // No `uniqueItems`: the sort order already excludes duplicates, and the check would be quadratic.
  targets: Type.Array(DestructiveTarget, { minItems: 1, description: 'All targets of the operation.' }),
  impact: meaning('What would be lost.', NonEmptyMarkdownText),
  scope_sha256: meaning('Digest of request id, targets and impact, which a person confirms.', Digest),
}

const rules = {
  targetsAreSorted: 'Targets are sorted by the bytes of `kind`, then of `value`, and no two are equal.',
  scopeIsExact:
    '`scope_sha256` is the digest of the JSON text of `impact`, `request_id`, `scope_version` 1 and `targets` in this order, without white space.',
}

export const DestructiveRequest = named(
  'destructiveRequest',
  strict(scope, {
    title: 'Destructive request',
    description: 'A request to a person to authorize an operation that cannot be undone.',
    'x-rules': rules,
  }),
)
export type DestructiveRequest = Message<typeof DestructiveRequest>

export const DestructiveAuthorization = named(
  'destructiveAuthorization',
  strict(
    {
      ...scope,
      originating_action_id: meaning('The action whose outcome made the request.', NonEmptyPlainText),
      scope_version: Type.Literal(1, { description: 'How `scope_sha256` is computed.' }),
      confirmed_at: meaning('When a person confirmed it.', UtcTimestamp),
    },
    {
      title: 'Destructive authorization',
      description: 'The operation that a person authorized, for one action.',
      'x-rules': rules,
    },
  ),
)
export type DestructiveAuthorization = Message<typeof DestructiveAuthorization>
