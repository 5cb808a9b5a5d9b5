/** To which API key a row belongs: the column `key_id` of sessions, executions, usage and idempotency keys. */

/** The row belongs to no key: to the user of the machine, or to a server without keys. */
export const NO_KEY = ''
/** The row is older than the ids of keys, and no server with keys has started since. No key has this id. */
export const UNDECIDED = 'undecided'

/** The key that a row belongs to, if it does. */
export function readKeyId(id: unknown): string | undefined {
  return typeof id === 'string' && id !== NO_KEY && id !== UNDECIDED ? id : undefined
}
