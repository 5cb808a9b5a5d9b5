/**
 * Which settings keep git from running filters that a repository got after a run began. Filters are the only programs of a
 * repository that git cannot do without: every file of Git LFS would look modified. Pure.
 */
import type { GitSetting } from './parse-git-config.ts'

const FILTER = /^filter\.(.*)\.(?:clean|process|smudge)$/s
/** Programs that Git LFS runs, which is itself a filter. */
const OF_LFS = /^lfs\.(?:extension\..*\.(?:clean|smudge)|customtransfer\..*\.path|standalonetransferagent)$/s
/** Hooks in settings count in addition to those in the directory of hooks. */
const HOOK = /^hook\.(.*)\.command$/s

/** Whether a setting says how files are filtered. */
export function isFilterSetting({ key }: GitSetting): boolean {
  return FILTER.test(key) || OF_LFS.test(key)
}

/** What must be added to the settings so that only the allowed filters count, each with the value that it had. */
export function toFilterOverrides(current: readonly GitSetting[], allowed: readonly GitSetting[]): GitSetting[] {
  const [now, wanted] = [valuesByKey(current.filter(isFilterSetting)), valuesByKey(allowed)]
  const changed = [...new Set([...now.keys(), ...wanted.keys()])].filter(
    (key) => now.get(key)?.join('\0') !== wanted.get(key)?.join('\0'),
  )
  const values = changed.flatMap((key) => ['', ...(wanted.get(key) ?? [])].map((value) => ({ key, value })))
  const known = new Set(allowed.flatMap(driverOf))
  const unknown = [...new Set(current.flatMap(driverOf))].filter((name) => !known.has(name))
  // Git would refuse a file whose filter is required and does nothing.
  const notRequired = unknown.map((name) => ({ key: `filter.${name}.required`, value: 'false' }))
  const hooks = current.flatMap(({ key }) => HOOK.exec(key)?.[1] ?? [])
  return [...values, ...notRequired, ...hooks.map((name) => ({ key: `hook.${name}.enabled`, value: 'false' }))]
}

function driverOf({ key }: GitSetting): string[] {
  return FILTER.exec(key)?.slice(1) ?? []
}

/** In order: git uses the last value. */
function valuesByKey(settings: readonly GitSetting[]): Map<string, string[]> {
  const byKey = Map.groupBy(settings, ({ key }) => key)
  return new Map([...byKey].map(([key, found]) => [key, found.map(({ value }) => value)]))
}
