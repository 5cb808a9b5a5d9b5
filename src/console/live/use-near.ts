/** Whether an element is, or was, near the visible part of the page. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** So far outside of it. */
const MARGIN = '1200px 0px'

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
