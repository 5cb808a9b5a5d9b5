/** Texts of agents: Markdown, code, diffs. Elements are created one by one, so that nothing in a text is ever markup. */
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { highlight, highlightDiff } from '../text/highlight.ts'
import type { Inline } from '../text/inline.ts'
import { type Block, parseMarkdown } from '../text/markdown.ts'
import { toRevealed, toVisible } from '../text/visible-text.ts'
import { Wide } from './wide.tsx'

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(toVisible(text)), [text])
  return <div class="markdown">{blocks.map(viewOfBlock)}</div>
}

function viewOfBlock(block: Block, key: number): ComponentChildren {
  switch (block.type) {
    case 'paragraph':
      return <p key={key}>{block.children.map(viewOfInline)}</p>
    case 'heading':
      return viewOfHeading(block, key)
    case 'code':
      return <Code key={key} text={block.text} language={block.language} />
    case 'quote':
      return <blockquote key={key}>{block.blocks.map(viewOfBlock)}</blockquote>
    case 'list':
      return viewOfList(block, key)
    case 'table':
      return viewOfTable(block, key)
    case 'rule':
      return <hr key={key} />
  }
}

/** The page has headings of its own, so those of an answer are at least of the fourth level. */
function viewOfHeading({ level, children }: Extract<Block, { type: 'heading' }>, key: number): ComponentChildren {
  const content = children.map(viewOfInline)
  if (level <= 1) return <h4 key={key}>{content}</h4>
  return level === 2 ? <h5 key={key}>{content}</h5> : <h6 key={key}>{content}</h6>
}

function viewOfList({ start, items }: Extract<Block, { type: 'list' }>, key: number): ComponentChildren {
  const content = items.map((item, at) => <li key={at}>{viewOfItem(item)}</li>)
  return start === undefined ? (
    <ul key={key}>{content}</ul>
  ) : (
    <ol key={key} start={start}>
      {content}
    </ol>
  )
}

/** An item that is only a line has no paragraph. */
function viewOfItem(blocks: Block[]): ComponentChildren {
  const [first, ...rest] = blocks
  if (first?.type !== 'paragraph') return blocks.map(viewOfBlock)
  return [...first.children.map(viewOfInline), ...rest.map(viewOfBlock)]
}

function viewOfTable({ head, rows }: Extract<Block, { type: 'table' }>, key: number): ComponentChildren {
  return (
    <Wide key={key}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at}>{cell.map(viewOfInline)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell.map(viewOfInline)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  )
}

function viewOfInline(inline: Inline, key: number): ComponentChildren {
  switch (inline.type) {
    case 'text':
      return inline.text
    case 'code':
      return <code key={key}>{inline.text}</code>
    case 'strong':
      return <strong key={key}>{inline.children.map(viewOfInline)}</strong>
    case 'em':
      return <em key={key}>{inline.children.map(viewOfInline)}</em>
    case 'del':
      return <del key={key}>{inline.children.map(viewOfInline)}</del>
    case 'link':
      return (
        <a key={key} href={inline.href} target="_blank" rel="noopener noreferrer">
          {inline.children.map(viewOfInline)}
        </a>
      )
  }
}

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
