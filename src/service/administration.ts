/** What those who manage a server may do: its keys, its settings, its repositories. */
import type { Config } from '../config/config.shape.ts'
import { addServerKey, removeServerKey, rotateServerKey, type ServerKey } from '../config/edit-keys.ts'
import type { Origins } from '../config/layers.ts'
import { createKey, newSecret, toShownKey } from '../config/new-key.ts'
import { formatOrigin } from '../config/origin.ts'
import { findKey, findMap } from '../config/setting-keys.ts'
import { showConfig } from '../config/show-config.ts'
import type { Clock } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import { type Caller, isAdmin, ownerKey } from '../prompts/caller.ts'
import type { DroverService } from './drover-service.ts'
import { adminRequired } from './faults.ts'
import type { BudgetKey } from './list-budgets.ts'
import { listRepositories, type RepositoryPlaces } from './list-repositories.ts'

/** Where the settings of a server come from. */
export type SettingsSource = {
  readonly origins: Origins
  readonly file: { readonly path: string; readonly exists: boolean }
  /** Those in the file now. */
  readonly readKeys: () => Promise<readonly ServerKey[]>
}

type AdministrationParts = RepositoryPlaces & {
  readonly config: Config
  readonly source: SettingsSource
  /** The keys that are valid. Undefined: the server needs none. */
  readonly validKeys: (() => readonly BudgetKey[]) | undefined
  readonly clock: Clock
  readonly log: Log
}

export type Administration = Pick<DroverService, 'keys' | 'settings' | 'repositories'>

export function administer(parts: AdministrationParts): Administration {
  const { config, source, validKeys, clock, log } = parts
  const { path } = source.file
  const isRequired = validKeys !== undefined
  return {
    keys: {
      list: async (by) => {
        requireAdmin(by)
        const keys = (await source.readKeys()).map(toShownKey)
        const names = new Set(keys.map(({ name }) => name))
        const others = (validKeys?.() ?? []).map(({ name }) => name).filter((name) => !names.has(name))
        return { file: path, is_required: isRequired, keys, others }
      },
      create: async (by, wanted) => {
        requireAdmin(by)
        const { entry, key } = createKey(wanted, { ids: randomIds, now: clock.now() })
        await addServerKey({ path, entry })
        log.info({ name: entry.name, by: nameOf(by) }, 'a key was created')
        return { ...toShownKey(entry), key, is_required: isRequired }
      },
      rotate: async (by, name) => {
        requireAdmin(by)
        const { key, sha256 } = newSecret(randomIds)
        await rotateServerKey({ path, name, sha256 })
        log.info({ name, by: nameOf(by) }, 'a key got a new secret')
        return { name, key }
      },
      revoke: async (by, name) => {
        requireAdmin(by)
        const { left } = await removeServerKey({ path, name })
        log.info({ name, by: nameOf(by) }, 'a key was revoked')
        return { name, keys_left: left }
      },
    },
    settings: {
      list: async (by) => {
        requireAdmin(by)
        const { file, origins } = source
        const settings = showConfig({ config, origins, file, warnings: [] }).map(({ key, value, origin }) => {
          const { description = '', applies } = findKey(key) ?? findMap(key) ?? {}
          const when = applies === undefined ? ('restart' as const) : ('at_once' as const)
          return {
            key,
            value: value ?? null,
            from: origin.from,
            origin: formatOrigin(origin),
            description,
            applies: when,
          }
        })
        return { file: file.path, exists: file.exists, settings }
      },
    },
    repositories: {
      list: async (by) => {
        requireAdmin(by)
        return { repositories: await listRepositories(config, parts) }
      },
    },
  }
}

export function requireAdmin(by: Caller): void {
  if (!isAdmin(by)) throw adminRequired({ key: ownerKey(by)?.name })
}

const nameOf = (by: Caller) => ownerKey(by)?.name ?? 'the user'
