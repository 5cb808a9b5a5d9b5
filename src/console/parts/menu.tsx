/**
 * What is needed seldom, behind a button. It closes with Escape, and when the user turns to something else: also to the page
 * that a link in it opens.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { sender } from '../live/api.ts'
import { hrefOf, pageLinksFor } from '../text/page-links.ts'

type MenuProps = {
  name: string
  /** In the bar of pages: one of them is open. */
  inBar?: { isCurrent: boolean }
  children: ComponentChildren
}

export function Menu({ name, inBar, children }: MenuProps) {
  const element = useRef<HTMLDivElement>(null)
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  useEffect(() => {
    const leave = ({ target }: Event) => {
      if (target instanceof Node && element.current?.contains(target) === false) close()
    }
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || !isOpen.peek()) return
      close()
      element.current?.querySelector('button')?.focus()
    }
    for (const event of ['focusin', 'pointerdown']) document.addEventListener(event, leave)
    document.addEventListener('keydown', closeByKey)
    return () => {
      for (const event of ['focusin', 'pointerdown']) document.removeEventListener(event, leave)
      document.removeEventListener('keydown', closeByKey)
    }
  }, [])
  return (
    <div class={inBar === undefined ? 'menu' : 'menu menu-in-bar'} ref={element}>
      <button
        type="button"
        class={inBar?.isCurrent === true ? 'current' : ''}
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {name} <span aria-hidden="true">▾</span>
      </button>
      {isOpen.value && <div class="menu-items">{children}</div>}
    </div>
  )
}

/** The pages that are opened rarely. */
export function MorePages({ page }: { page: string }) {
  const links = pageLinksFor(sender.value?.role).filter(({ bar }) => bar !== 'always')
  return (
    <Menu name="More" inBar={{ isCurrent: links.some((link) => link.page === page && link.bar === undefined) }}>
      {links.map((link) => (
        <a
          key={link.page}
          class={link.bar === 'wide' ? 'if-narrow' : ''}
          href={hrefOf(link)}
          aria-current={page === link.page ? 'page' : undefined}
        >
          {link.says}
        </a>
      ))}
    </Menu>
  )
}
