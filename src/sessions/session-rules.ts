/** What titles, tags and the values to list sessions by have to be like. Checked here and nowhere else. Pure. */
import { toTimestamp } from '../kit/clock.ts'
import type { JsonObject } from '../kit/json/json-value.ts'
import { writeJson } from '../kit/json/write-json.ts'
import { sessionFieldInvalid } from './faults.ts'

const TAG = /^[a-z0-9_-]{1,32}$/
const MAX_TAGS = 64
const MAX_TITLE_LENGTH = 200
const MAX_SEARCH_LENGTH = 200
/** RFC 3339. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

export function checkTag(tag: string): string {
  if (TAG.test(tag)) return tag
  throw refusal(`the tag ${JSON.stringify(tag)}`, 'must have 1 to 32 of the characters a-z, 0-9, _ and -')
}

/** The tags of one session: each once, in the order in which they came. */
export function checkTags(tags: readonly string[]): string[] {
  const unique = [...new Set(tags.map(checkTag))]
  if (unique.length > MAX_TAGS) throw refusal('tags', `are too many: a session has at most ${MAX_TAGS}`)
  return unique
}

export function checkTitle(title: string): string {
  const length = [...title].length
  if (length === 0 || length > MAX_TITLE_LENGTH) throw refusal('title', `must have 1 to ${MAX_TITLE_LENGTH} characters`)
  if (title.trim() === '') throw refusal('title', 'must have more than white space')
  if (/[\p{Cc}\u2028\u2029]/u.test(title)) throw refusal('title', 'must be one line without control characters')
  return title
}

/** An empty text stands for "any" where sessions are counted. */
export function checkNotEmpty(field: string, text: string): string {
  if (text === '') throw refusal(field, 'must not be empty')
  return text
}

export function checkSearch(search: string): string {
  if ([...search].length > MAX_SEARCH_LENGTH)
    throw refusal('search', `must have at most ${MAX_SEARCH_LENGTH} characters`)
  if (search.includes('\0')) throw refusal('search', 'must not have a NUL character')
  return search
}

/** A moment in the form in which it is stored, so that texts compare like moments. */
export function checkMoment(field: string, moment: string): string {
  const time = MOMENT.test(moment) ? Date.parse(moment) : Number.NaN
  if (Number.isNaN(time)) throw refusal(field, 'must be a moment such as 2026-01-31T09:30:00Z')
  return toTimestamp(new Date(time))
}

export function checkPage(page: { limit: number; offset: number }): void {
  if (!Number.isSafeInteger(page.limit) || page.limit < 1)
    throw refusal('limit', 'must be a whole number of at least 1')
  if (!Number.isSafeInteger(page.offset) || page.offset < 0) {
    throw refusal('offset', 'must be a whole number of at least 0')
  }
}

function refusal(field: string, rule: string) {
  return sessionFieldInvalid({ field, rule })
}

const METADATA_BYTES = 64 * 1024

/** Metadata are the caller's own; only their size is ours to judge. */
export function checkMetadata(metadata: JsonObject): JsonObject {
  const bytes = Buffer.byteLength(writeJson(metadata))
  if (bytes > METADATA_BYTES) {
    throw sessionFieldInvalid({
      field: 'metadata',
      rule: `must take at most ${METADATA_BYTES} bytes as JSON, not ${bytes}`,
    })
  }
  return metadata
}
