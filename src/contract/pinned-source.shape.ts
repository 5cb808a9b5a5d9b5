import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import {
  CommentUrl,
  Digest,
  issueFields,
  NodeId,
  SectionKey,
  SectionRole,
  SourceVersion,
  Timestamp,
} from './identifiers.shape.ts'
import { LIMITS, ROLES } from './limits.ts'
import { SourceParent } from './raw-source-envelope.shape.ts'
import { NonEmptyPlainText, nonEmptyPlain } from './text-kinds.shape.ts'

const Provenance = named(
  'sectionProvenance',
  strict(
    {
      comment_node_id: meaning('Id of the comment at the provider.', NodeId),
      comment_database_id: Type.Integer({ minimum: 1, description: 'Number of the comment at the provider.' }),
      url: meaning('URL of the comment.', CommentUrl),
      author_id: meaning('Id of the author.', NodeId),
      observed_updated_at: meaning('Time of the last change to the comment.', Timestamp),
    },
    { title: 'Section provenance', description: 'The comment that a section was taken from.' },
  ),
)

const PinnedSourceSection = named(
  'pinnedSourceSection',
  strict(
    {
      key: meaning('Key of the section.', SectionKey),
      role: SectionRole,
      title: nonEmptyPlain({ 'x-max-utf8-bytes': LIMITS.sectionTitleBytes, description: 'Title of the section.' }),
      body_sha256: meaning('Digest of the whole comment.', Digest),
      section_revision: meaning('Digest of key, role, title and text.', Digest),
      material_sha256: meaning('Digest of the text, and the name of its file.', Digest),
      bytes: Type.Integer({ minimum: 1, maximum: LIMITS.sectionBytes, description: 'Size of the text in bytes.' }),
      provenance: Provenance,
    },
    { title: 'Pinned source section', description: 'One section of the requirements. Its text is stored separately.' },
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
      parser_version: Type.Literal(2, { description: 'Version of the issue parser.' }),
      manifest_version: Type.Literal(2, { description: 'Version of the manifest in the issue.' }),
      profile: Type.Literal('change/v2', { description: 'Profile of the source.' }),
      ...issueFields,
      source_revision: meaning('Digest of the issue, its title and its manifest.', Digest),
      manifest_revision: meaning('Digest of the manifest, which lists the sections.', Digest),
      requirements_revision: meaning('Digest of the requirements in all sections.', Digest),
      parent_requirements_revision: Type.Optional(meaning('The requirements that these amend.', Digest)),
      parent: Type.Optional(meaning('The issue that this one is part of.', SourceParent)),
      title: meaning('Title of the issue.', NonEmptyPlainText),
      sections: Type.Array(PinnedSourceSection, {
        minItems: LIMITS.fewestSections,
        maxItems: LIMITS.mostSections,
        allOf: holdsEachRole,
        description: 'The sections, in the order of the manifest, at least one of each role.',
      }),
    },
    {
      title: 'Pinned source',
      description: 'The requirements of a run, as they were accepted.',
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
