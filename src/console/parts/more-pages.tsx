import { sender } from '../live/api.ts'
import { hrefOf, pageLinksFor } from '../text/page-links.ts'
import { Menu } from './menu.tsx'

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
