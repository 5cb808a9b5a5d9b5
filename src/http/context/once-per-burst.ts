/** A flood must not fill the log. */
const QUIET_MS = 60_000

/** Calls `write` for the first of many events. The next call is for the first one after a quiet minute. */
export function oncePerBurst<Event>(
  write: (event: Event) => void,
  nowMs: () => number = () => performance.now(),
): (event: Event) => void {
  let lastAt = Number.NEGATIVE_INFINITY
  return (event) => {
    const isFirst = nowMs() - lastAt >= QUIET_MS
    lastAt = nowMs()
    if (isFirst) write(event)
  }
}
