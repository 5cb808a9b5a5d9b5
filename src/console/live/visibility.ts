/** Whether the page is visible. Browsers allow six connections to a server, for all pages together. */

/** A user who only looks at another page for a moment should not wait. */
const HIDDEN_MS = 30_000

/** Aborts when the page has been hidden for a while. Returns a function that stops watching. */
export function abortWhenHidden(abort: AbortController, isNeeded: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const note = () => {
    clearTimeout(timer)
    if (!document.hidden) return
    timer = setTimeout(() => {
      if (!isNeeded()) abort.abort()
    }, HIDDEN_MS)
  }
  document.addEventListener('visibilitychange', note)
  note()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', note)
  }
}

export function untilVisible(stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const note = () => {
      if (document.hidden && !stopped.aborted) return
      document.removeEventListener('visibilitychange', note)
      stopped.removeEventListener('abort', note)
      resolve()
    }
    document.addEventListener('visibilitychange', note)
    stopped.addEventListener('abort', note)
    note()
  })
}
