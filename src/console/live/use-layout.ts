import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

/** So far outside of it. */
const MARGIN = '1200px 0px'

/** Whether an element is, or was, near the visible part of the page. */
export function useNear<E extends Element>(): { element: RefObject<E | null>; wasNear: boolean } {
  const element = useRef<E>(null)
  const [wasNear, setNear] = useState(false)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && setNear(true), {
      rootMargin: MARGIN,
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return { element, wasNear }
}

/** Whether the window fulfils a media query, also after it was resized. */
export function useWideEnough(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query])
  const [isWide, setWide] = useState(media.matches)
  useEffect(() => {
    const note = () => setWide(media.matches)
    media.addEventListener('change', note)
    return () => media.removeEventListener('change', note)
  }, [media])
  return isWide
}
