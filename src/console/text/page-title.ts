/** The title of the tab: what needs the user, which page it is. Pure. */
import { PAGE_LINKS } from './page-links.ts'
import { toLine } from './visible-text.ts'

const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PAGE_LINKS.filter(({ page }) => page !== 'home').map(({ page, says }) => [page, says])),
  new: 'New prompt',
  'new/change': 'New change',
}
/** Tabs show less than this. */
const MAX_SUBJECT = 60

type Shown = { page: string; id: string; waiting: number; subject?: string | undefined }

/** `subject`: what the page shows, as far as it is known. */
export function toPageTitle({ page, id, waiting, subject = '' }: Shown): string {
  const name = toLine(subject) || NAMES[`${page}/${id}`] || NAMES[page]
  const cut = name !== undefined && name.length > MAX_SUBJECT ? `${name.slice(0, MAX_SUBJECT).trimEnd()}…` : name
  const count = waiting > 0 ? `(${waiting}) ` : ''
  return cut === undefined ? `${count}drover` : `${count}${cut} – drover`
}
