/** Texts of agents: code, diffs. Elements are created one by one, so that nothing in a text is ever markup. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { highlight, highlightDiff } from '../text/highlight.ts'
import { toRevealed, toVisible } from '../text/visible-text.ts'

/** Longer texts are cut until the user asks for the rest. */
const SHOWN_LENGTH = 20_000

/** A text that the user decides about: all of it, with nothing hidden. */
export function Decisive({ text, language = '' }: { text: string; language?: string }) {
  const visible = toRevealed(text)
  return <Shown visible={visible} language={text.length > SHOWN_LENGTH ? '' : language} />
}

export function Code({ text, language = '' }: { text: string; language?: string }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > SHOWN_LENGTH && !isWhole
  return (
    <Shown visible={toVisible(isCut ? text.slice(0, SHOWN_LENGTH) : text)} language={language}>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </Shown>
  )
}

type ShownProps = { visible: string; language: string; children?: ComponentChildren }

function Shown({ visible, language, children }: ShownProps) {
  const tokens = language === 'diff' ? highlightDiff(visible) : highlight(visible, language)
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>
        {tokens.map(({ kind, text: part }, at) =>
          kind === 'plain' ? (
            part
          ) : (
            <span key={at} class={`code-${kind}`}>
              {part}
            </span>
          ),
        )}
      </pre>
      {children}
    </div>
  )
}

/** For tables that may be wider than the page. */
export function Wide({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <div class="wide" tabIndex={0}>
      {children}
    </div>
  )
}
