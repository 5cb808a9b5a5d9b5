import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../kit/shape.ts'
import { Digest, RequestId, UtcTimestamp } from './identifiers.shape.ts'
import { NonEmptyMarkdownText, NonEmptyPlainText } from './text.shape.ts'

const DestructiveTarget = named(
  'destructiveTarget',
  strict(
    {
      kind: literals(['path', 'git_ref', 'external_resource', 'data_domain'], {
        description: 'What sort of thing it is.',
      }),
      value: meaning('Which one.', NonEmptyPlainText),
    },
    { title: 'Destructive target', description: 'Something that cannot be brought back once it is changed.' },
  ),
)

/** What is asked for and what is granted must be the same, so they are the same fields. */
const scope = {
  request_id: meaning('What the request is called by.', RequestId),
  // That no two are equal follows from their order; the schema would compare each with every other.
  targets: Type.Array(DestructiveTarget, { minItems: 1, description: 'All that would be touched.' }),
  impact: meaning('What would be lost.', NonEmptyMarkdownText),
  scope_sha256: meaning('Of request id, targets and impact: what a person confirms.', Digest),
}

const rules = {
  targetsAreSorted: 'Targets are sorted by the bytes of `kind`, then of `value`, and no two are equal.',
  scopeIsExact:
    '`scope_sha256` is the digest of the JSON text of `impact`, `request_id`, `scope_version` 1 and `targets` in this order without white space.',
}

export const DestructiveRequest = named(
  'destructiveRequest',
  strict(scope, {
    title: 'Destructive request',
    description: 'Asks a person to allow a change that cannot be undone.',
    'x-rules': rules,
  }),
)
export type DestructiveRequest = Message<typeof DestructiveRequest>

export const DestructiveAuthorization = named(
  'destructiveAuthorization',
  strict(
    {
      ...scope,
      originating_action_id: meaning('The action whose outcome asked.', NonEmptyPlainText),
      scope_version: Type.Literal(1, { description: 'How `scope_sha256` is computed.' }),
      confirmed_at: meaning('When a person confirmed it.', UtcTimestamp),
    },
    {
      title: 'Destructive authorization',
      description: 'What a person has allowed, for this one action.',
      'x-rules': rules,
    },
  ),
)
export type DestructiveAuthorization = Message<typeof DestructiveAuthorization>
