/** One source of values, flat: what it sets, and where in it each value stands. */
import { type ConfigPath, isWithin } from './keys.ts'
import type { Origin } from './origin.ts'
import type { Tree } from './pick-settings.ts'

export type Layer = {
  readonly values: ReadonlyMap<ConfigPath, unknown>
  /** By key, and for a file also by what is inside: `server.trusted_proxies[1]`. */
  readonly places: ReadonlyMap<string, Origin>
}

/** The origin of a place: its own, or that of the nearest thing around it. */
export function originAt({ places }: Layer, place: string): Origin {
  const around = [...places.keys()].filter((outer) => isWithin(place, outer))
  const nearest = around.reduce((best, outer) => (outer.length > best.length ? outer : best), '')
  return places.get(nearest) ?? { from: 'default' }
}

/** The nested form of flat values, as the file has it. */
export function nest(values: Iterable<readonly [string, unknown]>): Tree {
  const root: Branch = {}
  for (const [path, value] of values) {
    const steps = path.split('.')
    const section = steps.slice(0, -1).reduce(branchAt, root)
    section[steps.at(-1) ?? ''] = value
  }
  return root
}

type Branch = { [name: string]: unknown }

function branchAt(parent: Branch, name: string): Branch {
  parent[name] ??= {}
  return parent[name] as Branch
}
