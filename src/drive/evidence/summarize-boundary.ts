/** What a run reached and what it was refused, for its report. Pure. */
import type { BoundarySummary } from '../record/boundary-summary.shape.ts'
import type { BoundarySeen } from '../record/drive-event.shape.ts'
import type { EventOf } from '../record/drive-event.ts'
import type { DriveState } from '../record/drive-state.ts'

type Users = BoundarySeen['by'][]

/** Undefined in older records, which know no boundary. */
export function summarizeBoundary(state: Pick<DriveState, 'boundary' | 'boundary_seen'>): BoundarySummary | undefined {
  const { boundary, boundary_seen: seen } = state
  if (boundary === undefined) return undefined
  const reached = seen.flatMap(({ by, reached: hosts }) => hosts.map((each) => ({ ...each, by })))
  const refused = seen.flatMap(({ by, refused: hosts }) => hosts.map((each) => ({ ...each, by })))
  const unwritable = seen.flatMap(({ by, unwritable: paths }) => paths.map((path) => ({ path, by, count: 1 })))
  const exceeded = seen.flatMap(({ by, exceeded: limits = [] }) => limits.map((limit) => ({ limit, by, count: 1 })))
  return {
    ...(boundary.is === 'inside'
      ? { enforced_by: 'bubblewrap' as const, around: describeInside(boundary) }
      : { why_not: boundary.why ?? '' }),
    reached: merge(reached, ({ host }) => host),
    refused: merge(refused, ({ host, reason }) => `${host} ${reason}`),
    unwritable: merge(unwritable, ({ path }) => path).map(({ path, by }) => ({ path, by })),
    exceeded: merge(exceeded, ({ limit }) => limit).map(({ limit, by }) => ({ limit, by })),
  }
}

/** How often something was refused in these rounds, for the verdict. Empty if nothing was. */
export function describeRefusals(rounds: readonly Pick<DriveState, 'boundary_seen'>[]): string {
  const seen = rounds.flatMap(({ boundary_seen: each }) => each)
  const hosts = seen.flatMap(({ refused }) => refused.map(({ count }) => count)).reduce((sum, each) => sum + each, 0)
  const others = seen.reduce((sum, { unwritable, exceeded = [] }) => sum + unwritable.length + exceeded.length, 0)
  const count = hosts + others
  return count === 0 ? '' : `the sandbox refused something ${count === 1 ? 'once' : `${count} times`}`
}

/** What of the run is inside of its boundary. */
export function describeInside({ agents = [], why }: Pick<EventOf<'boundary_set'>['data'], 'agents' | 'why'>): string {
  const named = why === undefined && agents.length > 0 ? ['agents'] : agents
  const inside = [...named, 'checks'].join(', ')
  return why === undefined ? `${inside} and setups` : `${inside} and setups (${why})`
}

/** Adds up what is the same, in the order in which it was first seen. */
function merge<T extends { count: number; by: BoundarySeen['by'] }>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
): (Omit<T, 'by'> & { by: Users })[] {
  const merged = new Map<string, Omit<T, 'by'> & { by: Users }>()
  for (const entry of entries) {
    const before = merged.get(keyOf(entry))
    const by = [...new Set([...(before?.by ?? []), entry.by])]
    merged.set(keyOf(entry), { ...entry, count: (before?.count ?? 0) + entry.count, by })
  }
  return [...merged.values()]
}
