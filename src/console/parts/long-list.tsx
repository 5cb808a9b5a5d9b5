/** A list of any length: only the parts near the visible area have elements. The others keep their height. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const CHUNK = 40
/** Of an item that was not shown yet. */
const ESTIMATED_HEIGHT = 72
/** Elements are created this far outside of the visible area. */
const MARGIN = '1200px 0px'

type ListProps<T> = {
  items: readonly T[]
  keyOf: (item: T) => string | number
  view: (item: T) => ComponentChildren
  estimatedHeight?: number
}
/** `target`: the index of an item that has elements wherever the page is. */
type LongListProps<T> = ListProps<T> & { target?: number }

export function LongList<T>({ items, keyOf, view, estimatedHeight, target = -1 }: LongListProps<T>) {
  const starts = Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) => index * CHUNK)
  return (
    <div class="long-list">
      {starts.map((start) => (
        <Chunk
          key={start}
          items={items.slice(start, start + CHUNK)}
          keyOf={keyOf}
          view={view}
          estimatedHeight={estimatedHeight ?? ESTIMATED_HEIGHT}
          isShownFirst={start === 0 || start + CHUNK >= items.length}
          hasTarget={Math.floor(target / CHUNK) * CHUNK === start}
        />
      ))}
    </div>
  )
}

type ChunkProps<T> = Required<ListProps<T>> & { isShownFirst: boolean; hasTarget: boolean }

function Chunk<T>({ items, keyOf, view, estimatedHeight, isShownFirst, hasTarget }: ChunkProps<T>) {
  const element = useRef<HTMLDivElement>(null)
  const height = useRef(0)
  const hasViews = useRef(false)
  const [isInView, setInView] = useState(isShownFirst)
  const isNear = isInView || hasTarget
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1)
        // The browser has measured it already: to ask for the height of new elements would make it do so twice.
        if (entry?.isIntersecting === false && hasViews.current) height.current = entry.boundingClientRect.height
        setInView(entry?.isIntersecting ?? true)
      },
      { rootMargin: MARGIN },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  const shown = isNear ? items : []
  const views = useViews(shown, (item) => (
    <div key={keyOf(item)} data-key={keyOf(item)}>
      {view(item)}
    </div>
  ))
  hasViews.current = isNear
  return (
    <div ref={element}>
      {isNear ? views : <div style={{ height: `${height.current || items.length * estimatedHeight}px` }} />}
    </div>
  )
}

/** The same elements as before if the items are the same: then they are not compared. Items never change. */
function useViews<T>(items: readonly T[], toView: (item: T) => ComponentChildren): ComponentChildren {
  const kept = useRef<{ items: readonly T[]; views: ComponentChildren }>({ items: [], views: [] })
  const { items: before } = kept.current
  const isSame = items.length === before.length && items.every((item, at) => item === before[at])
  if (!isSame) kept.current = { items, views: items.map(toView) }
  return kept.current.views
}
