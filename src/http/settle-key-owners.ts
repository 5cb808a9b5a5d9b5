import type { KeyRing } from '../config/api-keys.ts'
import { settleKeysOfDriven } from '../drive/record/driven-records.ts'
import type { Stores } from '../executions/store/stores.ts'
import type { Log } from '../kit/log.ts'
import { CONSOLE_USER } from './context/logins.ts'

type Parts = { stores: Pick<Stores, 'settleKeys'>; keys: KeyRing; drivenRuns: string; log: Log }

const NO_OWNER =
  'sessions from before keys had ids belong to no key: only operators and the user of this machine see them'
const NO_KEY =
  'executions of keys that no longer exist belong to no key: only operators and the user of this machine see them'

/**
 * Decides whom everything belongs to that was stored when keys had only names. The first server with keys that starts after
 * the upgrade does it, once. A key that the config gives no id is older than ids, so it keeps what has its name. A later key
 * has an id, and gets nothing of a key that had its name.
 */
export async function settleKeys({ stores, keys, drivenRuns, log }: Parts): Promise<void> {
  if (!keys.isRequired) return
  const old = [...keys.withoutOwnId(), CONSOLE_USER]
  const ids = new Map(old.map(({ name, id }) => [name, id]))
  const { sessions, executions, adopted } = await stores.settleKeys(ids)
  settleKeysOfDriven(drivenRuns, ids)
  if (adopted > 0)
    log.info({ executions: adopted }, 'executions from before keys had ids belong to the keys of their names')
  if (executions > 0) log.warn({ executions }, NO_KEY)
  if (sessions > 0) log.warn({ sessions }, NO_OWNER)
}
