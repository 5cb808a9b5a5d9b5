import type { ComponentChildren } from 'preact'
import { tell } from '../live/actions.ts'
import { toLine } from '../text/visible-text.ts'

type CopyButtonProps = {
  text: string
  class?: string
  /** What is copied, if the page does not show it. */
  title?: string
  children?: ComponentChildren
}

/** A click copies a text. Browsers forbid that on pages without HTTPS. */
export function CopyButton({ text, class: looks = 'small', title, children = 'Copy' }: CopyButtonProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      tell('Copied.')
    } catch {
      tell(`The browser does not let this page copy: ${title ?? 'select the text'}`)
    }
  }
  return (
    <button type="button" class={looks} title={title} onClick={() => void copy()}>
      {children}
    </button>
  )
}

/** A command or an id with a button that copies it. */
export function Copyable({ text }: { text: string }) {
  return (
    <>
      <code>{toLine(text)}</code> <CopyButton text={text} />
    </>
  )
}
