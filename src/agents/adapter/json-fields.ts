/** Reads fields of JSON that another program wrote. A field of an unexpected type counts as missing. Nothing here throws. */

export type JsonRecord = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseObject(text: string): JsonRecord | undefined {
  // A cheap check for most lines that are not JSON, without an exception for each.
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The first of the named fields that is a string. */
export function textAt(object: JsonRecord | undefined, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = object?.[name]
    if (typeof value === 'string') return value
  }
  return undefined
}

/** The first of the named fields that is a non-negative safe integer. */
export function countAt(object: JsonRecord | undefined, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = object?.[name]
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  }
  return undefined
}

export function objectAt(object: JsonRecord | undefined, ...names: readonly string[]): JsonRecord | undefined {
  for (const name of names) {
    const value = object?.[name]
    if (isObject(value)) return value
  }
  return undefined
}

/** The objects in an array; other elements are skipped. */
export function objectsAt(object: JsonRecord | undefined, name: string): JsonRecord[] {
  const value = object?.[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textsAt(object: JsonRecord | undefined, name: string): string[] {
  const value = object?.[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** The output of a tool as text: text blocks are joined, anything else becomes JSON. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value))
    return value.map((each) => textAt(isObject(each) ? each : {}, 'text') ?? toJson(each)).join('\n')
  return toJson(value)
}

function toJson(value: unknown): string {
  return isShallow(value) ? (JSON.stringify(value) ?? '') : ''
}

/** Whether a value can be traversed and serialized without overflowing the stack. */
export function isShallow(value: unknown, depth = 100): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1))
}
