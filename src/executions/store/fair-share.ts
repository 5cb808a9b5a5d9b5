/**
 * Decides how many bytes each owner gives up so that all together have at most `maxBytes`. Those that use most give first, down
 * to the same level. So an owner that uses less than an equal share gives nothing. Pure.
 */
export function shareExcess(used: ReadonlyMap<string, number>, maxBytes: number): Map<string, number> {
  const ascending = [...used].sort(([, one], [, other]) => one - other)
  let room = maxBytes
  for (const [at, [, bytes]] of ascending.entries()) {
    const level = room / (ascending.length - at)
    if (bytes > level) return new Map(ascending.slice(at).map(([owner, each]) => [owner, each - level]))
    room -= bytes
  }
  return new Map()
}

/** What each key uses. Its index has all of it. */
export const BYTES_BY_KEY = 'SELECT key_id, sum(bytes) AS bytes FROM executions GROUP BY key_id'
