import { connection } from '../live/server-state.ts'
import { describeMissing, type PageProblem } from '../text/describe-missing.ts'
import { toVisible } from '../text/visible-text.ts'

/** What is not there yet. Without a connection, it says why. */
export function Loading() {
  return connection.value === 'cut' ? (
    <p class="cut">The connection to the server is cut. The page connects again by itself.</p>
  ) : (
    <p class="dim">Loading…</p>
  )
}

type MissingProps = { what: string; problem: PageProblem; href: string; says: string }

/** A page that has nothing to show, with the way to what there is. */
export function Missing({ what, problem, href, says }: MissingProps) {
  const { title, text } = describeMissing(what, problem)
  return (
    <div class="page">
      <h1>{title}</h1>
      <p>{toVisible(text)}</p>
      <a href={href}>{says}</a>
    </div>
  )
}
