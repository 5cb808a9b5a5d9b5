import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import {
  CommentUrl,
  Digest,
  Host,
  IssueUrl,
  issueIds,
  NodeId,
  Provider,
  SectionKey,
  SectionRole,
  SourceVersion,
  Timestamp,
} from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { SourceParent } from './raw-source-envelope.shape.ts'
import { ROLES } from './section-roles.ts'
import { NonEmptyPlainText, nonEmptyPlain } from './text.shape.ts'

const Provenance = named(
  'sectionProvenance',
  strict(
    {
      comment_node_id: meaning('The comment, by the id that the provider gave it.', NodeId),
      comment_database_id: Type.Integer({ minimum: 1, description: "The provider's number for the comment." }),
      url: meaning('Where the comment was.', CommentUrl),
      author_id: meaning('Who wrote it.', NodeId),
      observed_updated_at: meaning('When the comment had last been changed.', Timestamp),
    },
    { title: 'Section provenance', description: 'The comment that a section was taken from.' },
  ),
)

const PinnedSourceSection = named(
  'pinnedSourceSection',
  strict(
    {
      key: meaning('What it is called by.', SectionKey),
      role: SectionRole,
      title: nonEmptyPlain({ 'x-max-utf8-bytes': LIMITS.sectionTitleBytes, description: 'Its heading.' }),
      body_sha256: meaning('Of the whole comment.', Digest),
      section_revision: meaning('Of key, role, title and text.', Digest),
      material_sha256: meaning('Of the text, which is kept under this name.', Digest),
      bytes: Type.Integer({ minimum: 1, maximum: LIMITS.sectionBytes, description: 'Bytes of the text.' }),
      provenance: Provenance,
    },
    { title: 'Pinned source section', description: 'One section of the requirements; its text is kept apart.' },
  ),
)
export type PinnedSourceSection = Message<typeof PinnedSourceSection>

const holdsEachRole = ROLES.map((role) => ({
  contains: { type: 'object', required: ['role'], properties: { role: { const: role } } },
}))

export const PinnedSource = named(
  'pinnedSource',
  strict(
    {
      source_version: SourceVersion,
      parser_version: Type.Literal(2, { description: 'The version of the reader of issues.' }),
      manifest_version: Type.Literal(2, { description: 'The version of the manifest in the issue.' }),
      profile: Type.Literal('change/v2', { description: 'What sort of source it is.' }),
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
      source_revision: meaning('Of the issue, its title and its manifest.', Digest),
      manifest_revision: meaning('Of the manifest: which comments are the sections.', Digest),
      requirements_revision: meaning('Of what the sections require.', Digest),
      parent_requirements_revision: Type.Optional(meaning('The requirements that these amend.', Digest)),
      parent: Type.Optional(meaning('The issue that this one is part of.', SourceParent)),
      title: meaning('The title of the issue.', NonEmptyPlainText),
      sections: Type.Array(PinnedSourceSection, {
        minItems: LIMITS.fewestSections,
        maxItems: LIMITS.mostSections,
        allOf: holdsEachRole,
        description: 'At least one of each role, in the order of the manifest.',
      }),
    },
    {
      title: 'Pinned source',
      description: 'The requirements of a run as they were when they were accepted.',
      'x-rules': {
        urlHasTheIssueNumber: '`canonical_url` ends with `issue_number`.',
        aliasesAreOtherUrls: '`canonical_url` is none of `url_aliases`.',
        sectionsAreDistinct: 'No two sections have the same key, comment node id or comment database id.',
        sectionsAreOfThisIssue:
          'The `url` of a provenance is `canonical_url` or one of `url_aliases`, then `#issuecomment-` and its `comment_database_id`.',
        sectionsFitTheBundle: `The sections have at most ${LIMITS.bundleBytes} bytes together.`,
      },
    },
  ),
)
export type PinnedSource = Message<typeof PinnedSource>
