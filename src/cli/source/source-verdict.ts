/** What a reading of an issue came to, in words. Pure. */
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import type { InvalidCode } from '../../source/classification.ts'
import type { SourceReading } from '../../source/read-source.ts'
import { toPrintable } from '../output/printable.ts'

/** What a person can do about it. */
const REMEDIES: Readonly<Record<InvalidCode, string>> = {
  objective_marker: 'Name one of the changes that the objective consists of.',
  unsupported_marker: 'Correct the first line of the body.',
  change_marker_required: 'Begin the body with the level marker; "drover source draft" writes one.',
  source_manifest_invalid: 'Let "drover source draft --comment URL …" write the body anew.',
  source_section_missing:
    'If the comment is still there, fetch the issue again; else take the section out or post it anew.',
  source_section_unexpected: 'Leave the comment out of the envelope, or add it to the manifest.',
  source_section_minimized: 'Show the comment again on the page of the issue, or post it anew.',
  source_section_hash_mismatch:
    'The comment was edited after the manifest was written. Post the new text as a new comment and name that in the manifest.',
  source_section_invalid: 'Correct the comment, then let "drover source draft --comment URL …" write the body anew.',
  source_section_too_large: 'Split the section in two.',
  source_bundle_too_large: 'Shorten the sections.',
  invalid_change_body: 'Let "drover source draft" show how a body is written.',
}

export function sayVerdict({ canonical_url }: RawSourceEnvelope, reading: SourceReading): string {
  if (reading.is === 'rejected') {
    const error = toPrintable(reading.error)
    return `${canonical_url} cannot be pinned: ${reading.code}\n  ${error}\n  ${REMEDIES[reading.code]}\n`
  }
  const { source_revision, requirements_revision, sections, title } = reading.source
  const lines = [
    `${canonical_url} can be pinned: ${toPrintable(title)}`,
    `  source revision        ${source_revision}`,
    `  requirements revision  ${requirements_revision}`,
    ...sections.map(({ key, role, bytes }) => `  section ${key}${key === role ? '' : ` (${role})`}, ${bytes} bytes`),
  ]
  return `${lines.join('\n')}\n`
}
