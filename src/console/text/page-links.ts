/** The pages that can be opened from everywhere: by a link, a key, or Ctrl-K. Their names are those of the tabs too. */
import { toLine } from './visible-text.ts'

export type PageLink = {
  /** As in the address. */
  readonly page: string
  readonly says: string
  readonly key?: string
  /** In the bar at the top, always or where it is wide enough; the others are behind "More". */
  readonly bar?: 'always' | 'wide'
  /** For those who may administer the server. */
  readonly isForAdmin?: true
}

export const PAGE_LINKS: readonly PageLink[] = [
  { page: 'home', says: 'Home', key: 'h', bar: 'always' },
  { page: 'new', says: 'New', key: 'n', bar: 'wide' },
  { page: 'board', says: 'Board', key: 'b', bar: 'always' },
  { page: 'runs', says: 'Runs', key: 'r', bar: 'always' },
  { page: 'sessions', says: 'Sessions', key: 's', bar: 'always' },
  { page: 'usage', says: 'Usage', key: 'u', bar: 'wide' },
  { page: 'compare', says: 'Comparisons' },
  { page: 'queue', says: 'Queue', key: 'q' },
  { page: 'watchers', says: 'Watchers' },
  { page: 'report', says: 'Report' },
  { page: 'repositories', says: 'Repositories', isForAdmin: true },
  { page: 'keys', says: 'Keys', isForAdmin: true },
  { page: 'settings', says: 'Settings', isForAdmin: true },
]

export const hrefOf = ({ page }: Pick<PageLink, 'page'>): string => (page === 'home' ? '#/' : `#/${page}`)

/** Those that the user of the page may open. */
export const pageLinksFor = (role: string | undefined): readonly PageLink[] =>
  PAGE_LINKS.filter(({ isForAdmin }) => !isForAdmin || role === 'admin')

/** The title of a page that this role may not open; undefined if it may. */
export function forbiddenPage(page: string, role: string | undefined): string | undefined {
  return role === 'admin' ? undefined : PAGE_LINKS.find((link) => link.page === page && link.isForAdmin)?.says
}

const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PAGE_LINKS.filter(({ page }) => page !== 'home').map(({ page, says }) => [page, says])),
  new: 'New prompt',
  'new/change': 'New change',
  'new/compare': 'New comparison',
}
/** Tabs show less than this. */
const MAX_SUBJECT = 60

type Shown = { page: string; id: string; waiting: number; subject?: string | undefined }

/**
 * The title of the tab: what needs the user, which page it is. `subject`: what the page shows, as far as it is known.
 */
export function toPageTitle({ page, id, waiting, subject = '' }: Shown): string {
  const name = toLine(subject) || NAMES[`${page}/${id}`] || NAMES[page]
  const cut = name !== undefined && name.length > MAX_SUBJECT ? `${name.slice(0, MAX_SUBJECT).trimEnd()}…` : name
  const count = waiting > 0 ? `(${waiting}) ` : ''
  return cut === undefined ? `${count}drover` : `${count}${cut} – drover`
}
