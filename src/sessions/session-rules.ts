/** The rules for titles, tags, metadata and filters of sessions. Pure. */
import { toTimestamp } from '../kit/clock.ts'
import { writeJson } from '../kit/json/write-json.ts'
import type { JsonObject, JsonValue } from '../kit/json-value.ts'
import { sessionFieldInvalid } from './faults.ts'

const TAG = /^[a-z0-9_-]{1,32}$/
export const MAX_TAGS = 64
export const MAX_TITLE_LENGTH = 200
const MAX_SEARCH_LENGTH = 200
/** RFC 3339. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

export function checkTag(tag: string): string {
  if (TAG.test(tag)) return tag
  throw refusal(`the tag ${JSON.stringify(tag)}`, 'must have 1 to 32 of the characters a-z, 0-9, _ and -')
}

/** Checks the tags of one session and removes duplicates. */
export function checkTags(tags: readonly string[]): string[] {
  const unique = [...new Set(tags.map(checkTag))]
  if (unique.length > MAX_TAGS) throw refusal('tags', `must be at most ${MAX_TAGS}`)
  return unique
}

export function checkTitle(title: string): string {
  const length = [...title].length
  if (length === 0 || length > MAX_TITLE_LENGTH) throw refusal('title', `must have 1 to ${MAX_TITLE_LENGTH} characters`)
  if (title.trim() === '') throw refusal('title', 'must not be only white space')
  if (/[\p{Cc}\u2028\u2029]/u.test(title)) throw refusal('title', 'must be one line without control characters')
  return title
}

/** The empty text means "any" in the table of counts, so it cannot be a value. */
export function checkNotEmpty(field: string, text: string): string {
  if (text === '') throw refusal(field, 'must not be empty')
  return text
}

export function checkSearch(search: string): string {
  if ([...search].length > MAX_SEARCH_LENGTH)
    throw refusal('search', `must have at most ${MAX_SEARCH_LENGTH} characters`)
  if (search.includes('\0')) throw refusal('search', 'must not contain a NUL character')
  return search
}

/** Converts a time to the stored format, in which text order is time order. */
export function checkMoment(field: string, moment: string): string {
  const time = MOMENT.test(moment) ? Date.parse(moment) : Number.NaN
  if (Number.isNaN(time)) throw refusal(field, 'must be a time such as 2026-01-31T09:30:00Z')
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

export const METADATA_BYTES = 64 * 1024
/** Lists and exports put metadata deeper, and must stay below the depth that `readJson` and `writeJson` accept. */
const METADATA_DEPTH = 64

/** Metadata belong to the client; only their size and depth are limited. */
export function checkMetadata(metadata: JsonObject): JsonObject {
  if (!isNestedAtMost(metadata, METADATA_DEPTH)) {
    throw refusal('metadata', `must nest at most ${METADATA_DEPTH} objects and arrays in each other`)
  }
  const bytes = Buffer.byteLength(writeJson(metadata))
  if (bytes > METADATA_BYTES) {
    throw sessionFieldInvalid({
      field: 'metadata',
      rule: `must take at most ${METADATA_BYTES} bytes as JSON, not ${bytes}`,
    })
  }
  return metadata
}

function isNestedAtMost(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((each: JsonValue) => isNestedAtMost(each, depth - 1))
}
