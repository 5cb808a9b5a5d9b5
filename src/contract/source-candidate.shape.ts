import { type TProperties, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Digest, Host, IssueUrl, issueIds, Provider, SourceVersion, Timestamp } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { PinnedSource } from './pinned-source.shape.ts'
import { SourceParent } from './raw-source-envelope.shape.ts'
import { NonEmptyPlainText, NonEmptyText, nonEmptyPlain } from './text.shape.ts'

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
    candidate_id: meaning('What the choice between it and the pinned source names.', NonEmptyText),
    ...own,
    source_version: SourceVersion,
    parser_version: Type.Literal(2, { description: 'The version of the reader of issues.' }),
    provider: Provider,
    host: Host,
    ...issueIds,
    issue_number: Type.Integer({ minimum: 1, description: 'The number of the issue in its repository.' }),
    canonical_url: meaning('Where the issue is.', IssueUrl),
    url_aliases: Type.Array(IssueUrl, {
      maxItems: LIMITS.urlAliases,
      uniqueItems: true,
      description: 'Where the issue was before.',
    }),
    parent: Type.Optional(meaning('The issue that this one is part of.', SourceParent)),
    created_at: meaning('When it was found.', Timestamp),
  })

export const SourceCandidate = named(
  'sourceCandidate',
  tagged(
    'valid',
    [
      candidate({
        valid: Type.Literal(true, { description: 'Whether the issue can be used.' }),
        classification: Type.Literal('valid', { description: 'The same as a word.' }),
        classification_code: Type.Literal('valid_change', { description: 'What the reader of issues found.' }),
        source_revision: meaning('Of the issue, its title and its manifest.', Digest),
        requirements_revision: meaning('Of what the sections require.', Digest),
        title: meaning('The title of the issue.', NonEmptyPlainText),
        snapshot: meaning('What would be pinned.', PinnedSource),
      }),
      candidate({
        valid: Type.Literal(false, { description: 'Whether the issue can be used.' }),
        classification: Type.Literal('invalid', { description: 'The same as a word.' }),
        classification_code: literals(INVALID_CODES, { description: 'What the reader of issues found.' }),
        classification_error: nonEmptyPlain({
          'x-max-utf8-bytes': LIMITS.classificationErrorBytes,
          description: 'What is wrong with the issue, in words.',
        }),
        observation_sha256: meaning('Of the issue as it was found.', Digest),
      }),
    ],
    {
      title: 'Source candidate',
      description: 'The issue of a run as a refresh found it, when it is not what is pinned. It waits for a choice.',
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
