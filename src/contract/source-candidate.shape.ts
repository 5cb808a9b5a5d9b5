import { type TProperties, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Digest, issueFields, SourceVersion, Timestamp } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { PinnedSource } from './pinned-source.shape.ts'
import { SourceParent } from './raw-source-envelope.shape.ts'
import { NonEmptyPlainText, NonEmptyText, nonEmptyPlain } from './text-kinds.shape.ts'

const INVALID_CODES = [
  'objective_marker',
  'unsupported_marker',
  'change_marker_required',
  'source_manifest_invalid',
  'source_section_missing',
  'source_section_unexpected',
  'source_section_minimized',
  'source_section_hash_mismatch',
  'source_section_invalid',
  'source_section_too_large',
  'source_bundle_too_large',
  'invalid_change_body',
] as const

const candidate = <P extends TProperties>(own: P) =>
  strict({
    candidate_id: meaning('Id of the candidate, which a choice names.', NonEmptyText),
    ...own,
    source_version: SourceVersion,
    parser_version: Type.Literal(2, { description: 'Version of the issue parser.' }),
    ...issueFields,
    parent: Type.Optional(meaning('The parent of the issue.', SourceParent)),
    created_at: meaning('Time of its creation.', Timestamp),
  })

export const SourceCandidate = named(
  'sourceCandidate',
  tagged(
    'valid',
    [
      candidate({
        valid: Type.Literal(true, { description: 'Whether the issue is valid.' }),
        classification: Type.Literal('valid', { description: '`valid` as a word.' }),
        classification_code: Type.Literal('valid_change', { description: 'Result of the issue parser.' }),
        source_revision: meaning('Digest of the issue, its title and its manifest.', Digest),
        requirements_revision: meaning('Digest of the requirements in all sections.', Digest),
        title: meaning('Title of the issue.', NonEmptyPlainText),
        snapshot: meaning('The source that an adoption pins.', PinnedSource),
      }),
      candidate({
        valid: Type.Literal(false, { description: 'Whether the issue is valid.' }),
        classification: Type.Literal('invalid', { description: '`valid` as a word.' }),
        classification_code: literals(INVALID_CODES, { description: 'Result of the issue parser.' }),
        classification_error: nonEmptyPlain({
          'x-max-utf8-bytes': LIMITS.classificationErrorBytes,
          description: 'Why the issue is invalid.',
        }),
        observation_sha256: meaning('Digest of the issue as fetched.', Digest),
      }),
    ],
    {
      title: 'Source candidate',
      description: 'The changed or invalid issue of a run, as a refresh found it. It is waiting for a choice.',
      'x-rules': {
        urlHasTheIssueNumber: '`canonical_url` ends with `issue_number`.',
        aliasesAreOtherUrls: '`canonical_url` is none of `url_aliases`.',
        snapshotIsOfTheCandidate:
          '`snapshot` has the ids, the number, the URL, the title and the revisions of the candidate.',
      },
    },
  ),
)
export type SourceCandidate = Message<typeof SourceCandidate>
