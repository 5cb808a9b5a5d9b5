/** What a run reached and what it was refused, for its report, in all of its rounds. Pure. */
import { isOwnHost } from '../../agents/known-quirks.ts'
import { listSome } from '../../kit/wording.ts'
import type { BoundarySeen, BoundarySummary } from '../record/boundary-summary.shape.ts'
import type { EventOf } from '../record/drive-event.shape.ts'
import type { DriveState } from '../record/drive-state.ts'

type Users = BoundarySeen['by'][]

type Round = Pick<DriveState, 'round' | 'boundary' | 'boundary_seen'>

/** The run with the rounds before it, latest first. Undefined in older records, which know no boundary. */
export function summarizeBoundary(given: readonly Round[]): BoundarySummary | undefined {
  const [latest] = given
  if (latest?.boundary === undefined) return undefined
  const rounds = given.toReversed()
  const entriesOf = <T>(of: (seen: BoundarySeen) => readonly T[]) =>
    rounds.flatMap(({ round, boundary_seen: seen }) =>
      seen.flatMap((each) => of(each).map((entry) => ({ ...entry, by: each.by, round }))),
    )
  const found = {
    reached: entriesOf(({ reached }) => reached),
    refused: entriesOf(({ refused }) => refused),
    unwritable: entriesOf(({ unwritable }) => unwritable.map((path) => ({ path, count: 1 }))),
    exceeded: entriesOf(({ exceeded = [] }) => exceeded.map((limit) => ({ limit, count: 1 }))),
  }
  const others = otherRounds(rounds, enforcementOf(latest.boundary))
  const isOne = rounds.length === 1
  return {
    ...enforcementOf(latest.boundary),
    ...(!isOne && { rounds: rounds.map(({ round }) => round) }),
    ...(others.length > 0 && { other_rounds: others }),
    reached: merge(found.reached, { isOne, keyOf: ({ host }) => host }),
    refused: merge(found.refused, { isOne, keyOf: ({ host, reason }) => `${host} ${reason}` }),
    unwritable: merge(found.unwritable, { isOne, keyOf: ({ path }) => path }).map(withoutCount),
    exceeded: merge(found.exceeded, { isOne, keyOf: ({ limit }) => limit }).map(withoutCount),
  }
}

function enforcementOf(boundary: NonNullable<Round['boundary']>) {
  return boundary.is === 'inside'
    ? { enforced_by: 'bubblewrap' as const, around: describeInside(boundary) }
    : { why_not: boundary.why ?? '' }
}

/** Those that were driven in another way than the latest one. */
function otherRounds(rounds: readonly Round[], latest: ReturnType<typeof enforcementOf>) {
  return rounds.flatMap(({ round, boundary }) => {
    const own = boundary === undefined ? { why_not: 'it was not recorded' } : enforcementOf(boundary)
    return JSON.stringify(own) === JSON.stringify(latest) ? [] : [{ round, ...own }]
  })
}

function withoutCount<T extends { count: number }>({ count: _, ...entry }: T): Omit<T, 'count'> {
  return entry
}

const NAMED = 5

/** What was refused in these rounds, for the verdict. Empty if only what agents ask for themselves, or nothing. */
export function describeRefusals(rounds: readonly Pick<DriveState, 'attempts' | 'boundary_seen'>[]): string {
  const names = rounds.flatMap(({ attempts, boundary_seen: all }) =>
    all.flatMap(({ attempt, refused, unwritable, exceeded = [] }) => {
      const backend = attempts.find((each) => each.attempt === attempt)?.backend
      const hosts = refused.filter(({ host }) => !isOwnHost(backend, host)).map(({ host }) => host.replace(/:443$/, ''))
      return [...hosts, ...unwritable, ...exceeded.map(() => 'what exceeded a limit')]
    }),
  )
  const different = [...new Set(names)]
  return different.length === 0 ? '' : `the sandbox refused ${listSome(different, NAMED)}`
}

/** What of the run is inside of its boundary. */
export function describeInside({ agents = [], why }: Pick<EventOf<'boundary_set'>['data'], 'agents' | 'why'>): string {
  const named = why === undefined && agents.length > 0 ? ['agents'] : agents
  const inside = [...named, 'checks'].join(', ')
  return why === undefined ? `${inside} and setups` : `${inside} and setups (${why})`
}

type Entry = { count: number; by: BoundarySeen['by']; round: number }
type Merged<T> = Omit<T, 'by' | 'round'> & { count: number; by: Users; rounds?: number[] }

/** Adds up what is the same, in the order in which it was first seen. The round is named if there are several. */
function merge<T extends Entry>(
  entries: readonly T[],
  { keyOf, isOne }: { keyOf: (entry: T) => string; isOne: boolean },
): Merged<T>[] {
  const merged = new Map<string, Merged<T>>()
  for (const { by, round, ...entry } of entries) {
    const key = keyOf({ by, round, ...entry } as T)
    const before = merged.get(key)
    const rounds = [...new Set([...(before?.rounds ?? []), round])]
    merged.set(key, {
      ...entry,
      count: (before?.count ?? 0) + entry.count,
      by: [...new Set([...(before?.by ?? []), by])],
      ...(!isOne && { rounds }),
    })
  }
  return [...merged.values()]
}
