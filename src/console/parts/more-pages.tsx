import { useRef } from 'preact/hooks'
import { sender } from '../live/api.ts'
import { hrefOf, pageLinksFor } from '../text/page-links.ts'

/** The pages that are opened rarely. Escape, a choice, and leaving it with the keyboard or a click close it. */
export function MorePages({ page }: { page: string }) {
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => menu.current?.removeAttribute('open')
  const links = pageLinksFor(sender.value?.role).filter(({ bar }) => bar !== 'always')
  const isCurrent = links.some((link) => link.page === page && link.bar === undefined)
  return (
    <details
      ref={menu}
      class="more"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        close()
        menu.current?.querySelector('summary')?.focus()
      }}
      onFocusOut={(event) => {
        if (!menu.current?.contains(event.relatedTarget as Node | null)) close()
      }}
    >
      <summary class={isCurrent ? 'current' : ''}>More</summary>
      <ul class="plain menu">
        {links.map((link) => (
          <li key={link.page} class={link.bar === 'wide' ? 'if-narrow' : ''}>
            <a href={hrefOf(link)} aria-current={page === link.page ? 'page' : undefined} onClick={close}>
              {link.says}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}
