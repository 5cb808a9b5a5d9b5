import type { Problem, Rule } from '../kit/schema.ts'
import { findDuplicates } from './duplicates.ts'
import { aliasesAreOtherUrls, commentUrl, urlHasTheIssueNumber } from './issue-url.ts'
import { LIMITS } from './limits.ts'
import type { PinnedSource } from './pinned-source.shape.ts'

function sectionsAreDistinct({ sections }: PinnedSource): Problem[] {
  const provenances = sections.map(({ provenance }) => provenance)
  const found = [
    { field: 'key', indexes: findDuplicates(sections, ({ key }) => key) },
    { field: 'provenance.comment_node_id', indexes: findDuplicates(provenances, (each) => each.comment_node_id) },
    {
      field: 'provenance.comment_database_id',
      indexes: findDuplicates(provenances, (each) => each.comment_database_id),
    },
  ]
  return found.flatMap(({ field, indexes }) =>
    indexes.map((index) => ({ path: `$.sections[${index}].${field}`, rule: 'must not be that of another section' })),
  )
}

/** A pinned section keeps the URL of its comment even if the issue moves. */
function sectionsAreOfThisIssue({ canonical_url, url_aliases, sections }: PinnedSource): Problem[] {
  return sections.flatMap(({ provenance }, index) => {
    const urls = [canonical_url, ...url_aliases].map((url) => commentUrl(url, provenance.comment_database_id))
    const rule = `must be ${urls[0]}, or the same under an alias`
    return urls.includes(provenance.url) ? [] : [{ path: `$.sections[${index}].provenance.url`, rule }]
  })
}

function sectionsFitTheBundle({ sections }: PinnedSource): Problem[] {
  const bytes = sections.reduce((sum, section) => sum + section.bytes, 0)
  return bytes <= LIMITS.bundleBytes
    ? []
    : [{ path: '$.sections', rule: `must have at most ${LIMITS.bundleBytes} bytes together and have ${bytes}` }]
}

export const pinnedSourceRules: readonly Rule<PinnedSource>[] = [
  urlHasTheIssueNumber,
  aliasesAreOtherUrls,
  sectionsAreDistinct,
  sectionsAreOfThisIssue,
  sectionsFitTheBundle,
]
