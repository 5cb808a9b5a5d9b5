import type { PinnedSource, PinnedSourceSection } from '../contract/pinned-source.shape.ts'
import { digestMaterial } from '../kit/digest.ts'
import type { Problem } from '../kit/schema.ts'
import { digestManifest, digestRequirements, digestSection, digestSource } from './revisions.ts'

/** One problem for each revision of a stored source that does not match its content. The source must fit the contract. */
export function findRevisionProblems(source: PinnedSource): Problem[] {
  const sections = source.sections.map(({ key, role, title, body_sha256, provenance }) => ({
    key,
    role,
    title,
    comment_node_id: provenance.comment_node_id,
    comment_database_id: provenance.comment_database_id,
    body_sha256,
  }))
  const expected = {
    manifest_revision: digestManifest({ ...source, sections }),
    requirements_revision: digestRequirements(source),
    source_revision: digestSource(source),
  }
  return Object.entries(expected).flatMap(([field, digest]) =>
    source[field as keyof typeof expected] === digest ? [] : [{ path: `$.${field}`, rule: `must be ${digest}` }],
  )
}

/** Whether the section was pinned with this text. */
export function matchesSection(section: PinnedSourceSection, text: string): boolean {
  return (
    Buffer.byteLength(text) === section.bytes &&
    digestMaterial(text) === section.material_sha256 &&
    digestSection(section, text) === section.section_revision
  )
}
