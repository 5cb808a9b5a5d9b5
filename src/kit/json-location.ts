const PLAIN_KEY = /^[A-Za-z0-9_]+$/

/** Keys in locations are cut here: a location is read by people, and a hostile key can be megabytes long. */
export const MAX_LOCATION_KEY = 128

/** Names a place in a JSON value: `$` is the whole value, then `.key` or `["odd key"]` for members and `[n]` for elements. */
export function jsonLocation(path: readonly (string | number)[]): string {
  return `$${path.map(step).join('')}`
}

function step(part: string | number): string {
  if (typeof part === 'number') return `[${part}]`
  const key = part.length <= MAX_LOCATION_KEY ? part : `${part.slice(0, MAX_LOCATION_KEY)}…`
  return PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
