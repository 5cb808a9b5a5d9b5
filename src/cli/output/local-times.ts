import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { withLocalTimes, withUtcTimes } from '../../kit/wording.ts'

/** How times in a text are shown. */
export type Times = (text: string) => string

/** A terminal shows local times and how far away they are. A pipe gets seconds in UTC. */
export function timesFor({ isTty }: { readonly isTty: boolean }, now: () => Date): Times {
  return isTty ? (text) => withLocalTimes(text, now()) : withUtcTimes
}

export const asWritten: Times = (text) => text

export function verdictIn<V extends RunVerdict | undefined>(verdict: V, times: Times): V {
  if (verdict === undefined) return verdict
  const { line, reason, look_first: lookFirst } = verdict
  return { ...verdict, line: times(line), reason: times(reason), look_first: lookFirst.map(times) }
}
