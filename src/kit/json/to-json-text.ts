/**
 * The text that `JSON.stringify` gives, where bigints become integer literals. `writeJson` is stricter: it refuses values
 * that were not read from JSON, such as half a surrogate pair in the answer of an agent.
 */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // Only a bigint is worth a second try, which takes several times as long.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? literal(part) : part))
  }
}

/** `JSON.rawJSON` is newer than the types of TypeScript's library. */
function literal(integer: bigint): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(integer))
}
