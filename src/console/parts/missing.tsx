import { describeLack, type Lack } from '../text/describe-missing.ts'
import { toVisible } from '../text/visible-text.ts'

type MissingProps = { what: string; lack: Lack; href: string; says: string }

/** A page that has nothing to show, with the way to what there is. */
export function Missing({ what, lack, href, says }: MissingProps) {
  const { title, text } = describeLack(what, lack)
  return (
    <div class="page">
      <h1>{title}</h1>
      <p>{toVisible(text)}</p>
      <a href={href}>{says}</a>
    </div>
  )
}
