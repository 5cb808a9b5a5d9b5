/** Where discarded work is kept, and until when. Pure. */
const FOLDER = 'refs/drover/discarded/'
const KEPT_DAYS = 7
const DAY_MS = 86_400_000

export function keptUntil(now: Date): Date {
  return new Date(now.getTime() + KEPT_DAYS * DAY_MS)
}

/** The day is a part of the name, so that old refs are found without the records of their runs. */
export function discardedRef(runId: string, until: Date): string {
  return `${FOLDER}${until.toISOString().slice(0, 10)}/${runId}`
}

/** Those whose day is over. */
export function expiredRefs(refs: readonly string[], now: Date): string[] {
  const today = `${FOLDER}${now.toISOString().slice(0, 10)}`
  const isDated = (ref: string) => ref.startsWith(FOLDER) && /^\d{4}-\d\d-\d\d\//.test(ref.slice(FOLDER.length))
  return refs.filter((ref) => isDated(ref) && ref < today)
}

export const DISCARDED_REFS = FOLDER.slice(0, -1)
