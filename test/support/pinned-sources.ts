/** Pinned sources, and candidates that a refresh may find. */
import type { PinnedSource } from '../../src/contract/pinned-source.shape.ts'
import type { SourceCandidate } from '../../src/contract/source-candidate.shape.ts'
import { digestMaterial } from '../../src/kit/digest.ts'
import { readSource, toCandidate } from '../../src/source/read-source.ts'
import {
  digestCommentBody,
  digestManifest,
  digestRequirements,
  digestSection,
  digestSource,
} from '../../src/source/revisions.ts'
import { checkPinnedSource } from './message-checkers.ts'
import { makeBundle } from './source-bundle.ts'

const reading = readSource(makeBundle())
if (reading.is === 'rejected') throw new Error(reading.error)

export const pinned: PinnedSource = reading.source

type Section = PinnedSource['sections'][number]

/** The source with correct revisions. */
export function withRevisions(source: PinnedSource): PinnedSource {
  const listed = source.sections.map(({ provenance, ...section }) => ({ ...section, ...provenance }))
  const manifest_revision = digestManifest({ ...source, sections: listed })
  const requirements_revision = digestRequirements(source)
  const revised = { ...source, manifest_revision, requirements_revision }
  return checkPinnedSource({ ...revised, source_revision: digestSource(revised) })
}

/** Amends a source: its second section gets this text, in a new comment. */
export function amend(source: PinnedSource, text: string, comment: number): PinnedSource {
  const sections = source.sections.map((section, index) => (index === 1 ? rewritten(section, text, comment) : section))
  return withRevisions({ ...source, sections, parent_requirements_revision: source.requirements_revision })
}

function rewritten(section: Section, text: string, comment: number): Section {
  return {
    ...section,
    body_sha256: digestCommentBody(`<!-- drover-section:v1 key=${section.key} -->\n${text}`),
    section_revision: digestSection(section, text),
    material_sha256: digestMaterial(text),
    bytes: Buffer.byteLength(text),
    provenance: {
      ...section.provenance,
      comment_node_id: `IC_${comment}`,
      comment_database_id: comment,
      url: section.provenance.url.replace(/\d+$/, String(comment)),
    },
  }
}

const created_at = '2026-01-31T12:00:00Z'

/** The candidate of a refresh that finds this source. */
export function candidateOf(source: PinnedSource, candidate_id = 'candidate-1'): SourceCandidate {
  const envelope = { ...makeBundle(), ...source }
  return toCandidate(envelope, { is: 'pinned', source, materials: new Map() }, { candidate_id, created_at })
}

/** What a refresh finds when the issue is no longer a change. */
export function invalidOf(candidate_id = 'candidate-1', change: object = {}): SourceCandidate {
  const envelope = { ...makeBundle(), body: 'nothing', ...change }
  return toCandidate(envelope, readSource(envelope), { candidate_id, created_at })
}

export const amended = amend(pinned, 'Knots, and nothing but knots.\n', 2001)

/** The issue after a move to another repository. */
export function moved(source: PinnedSource, repository: string): PinnedSource {
  const canonical_url = `https://github.com/ada/${repository}/issues/${source.issue_number}`
  const sections = source.sections.map((section) => ({
    ...section,
    provenance: { ...section.provenance, url: section.provenance.url.replace(/^[^#]*/, canonical_url) },
  }))
  return withRevisions({ ...source, canonical_url, url_aliases: [], sections })
}
