/** Calls a function at most once per frame with all items that came meanwhile. */

/** A page that is hidden or covered has no frames, and one that is very large has few. */
const WITHOUT_FRAME_MS = 250

export function batchPerFrame<T>(handle: (items: T[]) => void): { add(items: readonly T[]): void; flush(): void } {
  let waiting: T[] = []
  let isScheduled = false
  const flush = () => {
    isScheduled = false
    if (waiting.length === 0) return
    const items = waiting
    waiting = []
    handle(items)
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // Whichever comes second finds nothing, or what came since then.
    setTimeout(flush, WITHOUT_FRAME_MS)
    requestAnimationFrame(flush)
  }
  return {
    add(items) {
      // One by one: a call with very many arguments overflows the stack.
      for (const item of items) waiting.push(item)
      schedule()
    },
    flush,
  }
}
