/** Text that arrives does not move what the reader looks at. The button leads to its end, and stays there until the reader scrolls up. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** `version` changes with the text. */
export function JumpToLatest({ version }: { version: number }) {
  const end = useRef<HTMLDivElement>(null)
  const isSeen = useSignal(true)
  const isFollowed = useRef(false)
  useEffect(() => {
    const { current } = end
    if (current === null) return
    const observer = new IntersectionObserver(([entry]) => (isSeen.value = entry?.isIntersecting ?? true))
    observer.observe(current)
    const stop = () => (isFollowed.current = false)
    const names = ['wheel', 'touchmove', 'keydown'] as const
    for (const name of names) window.addEventListener(name, stop, { passive: true })
    return () => {
      observer.disconnect()
      for (const name of names) window.removeEventListener(name, stop)
    }
  }, [])
  const show = () => end.current?.scrollIntoView({ block: 'end' })
  useLayoutEffect(() => {
    if (isFollowed.current) show()
  }, [version])
  return (
    <>
      <div ref={end} class="latest" />
      {!isSeen.value && (
        <button
          type="button"
          class="jump"
          onClick={() => {
            isFollowed.current = true
            show()
          }}
        >
          Jump to latest ↓
        </button>
      )}
    </>
  )
}
