/** The manifest in the body of an issue: which comments are its sections. */
import { Type } from 'typebox'
import { Digest, NodeId, SectionKey, SectionRole } from '../contract/identifiers.shape.ts'
import { LIMITS } from '../contract/limits.ts'
import { nonEmptyPlain } from '../contract/text-kinds.shape.ts'
import { type Message, named, strict } from '../kit/shape.ts'

export const ManifestSection = named(
  'manifestSection',
  strict({
    key: SectionKey,
    role: SectionRole,
    title: nonEmptyPlain({ 'x-max-utf8-bytes': LIMITS.sectionTitleBytes }),
    comment_node_id: NodeId,
    comment_database_id: Type.Integer({ minimum: 1 }),
    body_sha256: Digest,
  }),
)
export type ManifestSection = Message<typeof ManifestSection>

export const SourceManifest = named(
  'sourceManifest',
  strict({
    manifest_version: Type.Literal(2),
    profile: Type.Literal('change/v2'),
    /** The requirements revision that this manifest amends; absent in the first manifest of an issue. */
    parent_requirements_revision: Type.Optional(Digest),
    sections: Type.Array(ManifestSection, { minItems: LIMITS.fewestSections, maxItems: LIMITS.mostSections }),
  }),
)
export type SourceManifest = Message<typeof SourceManifest>
