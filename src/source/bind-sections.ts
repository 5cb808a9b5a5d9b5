import { LIMITS } from '../contract/limits.ts'
import type { RawSourceComment } from '../contract/raw-source-envelope.shape.ts'
import { excerpt, type InvalidCode, type Rejection, reject } from './classification.ts'
import { readSection, sectionMarker } from './read-section.ts'
import { digestCommentBody } from './revisions.ts'
import type { ManifestSection, SourceManifest } from './source-manifest.shape.ts'
import { isBlank } from './text-lines.ts'

/** A section of the manifest, its comment and the text of that comment. */
export type BoundSection = { section: ManifestSection; comment: RawSourceComment; text: string; bytes: number }

/** Finds the comment of every section in manifest order. Returns the first rejection. */
export function bindSections(
  { sections }: SourceManifest,
  comments: readonly RawSourceComment[],
): { is: 'bound'; sections: readonly BoundSection[] } | Rejection {
  const left = new Map(comments.map((comment) => [comment.node_id, comment]))
  const bound: BoundSection[] = []
  let totalBytes = 0
  for (const section of sections) {
    const found = bind(section, left.get(section.comment_node_id))
    if ('code' in found) return found
    totalBytes += found.bytes
    if (totalBytes > LIMITS.bundleBytes) {
      return rejectSection(
        section,
        'source_bundle_too_large',
        `the texts up to here have more than ${LIMITS.bundleBytes} bytes together`,
      )
    }
    bound.push(found)
    left.delete(section.comment_node_id)
  }
  const [unexpected] = left.values()
  return unexpected === undefined
    ? { is: 'bound', sections: bound }
    : reject('source_section_unexpected', `the comment ${unexpected.url} is in the envelope but not in the manifest`)
}

function bind(section: ManifestSection, comment: RawSourceComment | undefined): BoundSection | Rejection {
  const { comment_node_id, comment_database_id, key, body_sha256 } = section
  const refuse = (code: InvalidCode, problem: string) => rejectSection(section, code, problem)
  if (comment === undefined) return refuse('source_section_missing', `there is no comment ${comment_node_id}`)
  const { url, database_id, body } = comment
  if (database_id !== comment_database_id) {
    return refuse('source_section_invalid', `${url} has the number ${database_id}, not ${comment_database_id}`)
  }
  if (comment.is_minimized) return refuse('source_section_minimized', `${url} is hidden on the page of the issue`)
  const digest = digestCommentBody(body)
  if (digest !== body_sha256) {
    return refuse('source_section_hash_mismatch', `${url} has the digest ${digest}, the manifest says ${body_sha256}`)
  }
  const { marker, text } = readSection(body)
  if (marker !== sectionMarker(key)) {
    const found = marker === '' ? 'it is empty' : `it is ${excerpt(marker)}`
    return refuse('source_section_invalid', `the first line of ${url} must be ${sectionMarker(key)}, but ${found}`)
  }
  if (isBlank(text)) return refuse('source_section_invalid', `${url} has no text below its marker`)
  const bytes = Buffer.byteLength(text)
  return bytes > LIMITS.sectionBytes
    ? refuse(
        'source_section_too_large',
        `the text of ${url} has ${bytes} bytes, at most ${LIMITS.sectionBytes} are allowed`,
      )
    : { section, comment, text, bytes }
}

function rejectSection({ key }: ManifestSection, code: InvalidCode, problem: string): Rejection {
  return reject(code, `section ${key}: ${problem}`)
}
