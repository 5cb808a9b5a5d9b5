/** Markdown of agents. Elements are created one by one, so that nothing in a text is ever markup. */
import { type ComponentChildren, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { type MarkdownNode, readMarkdown } from '../text/read-markdown.ts'
import { toVisible } from '../text/visible-text.ts'
import { Code } from './text-view.tsx'
import { Wide } from './wide.tsx'

export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => readMarkdown(toVisible(text)), [text])
  return <div class="markdown">{nodes.map(viewOf)}</div>
}

/** The page has its own headings, so those of an answer are at least of the fourth level. */
const TAGS: Readonly<Record<string, string>> = { h1: 'h4', h2: 'h5', h3: 'h6', h4: 'h6', h5: 'h6', s: 'del' }

function viewOf(node: MarkdownNode, key: number): ComponentChildren {
  if (typeof node === 'string') return node
  const { tag, children, href, start, language = '' } = node
  if (tag === 'pre') return <Code key={key} text={children.join('')} language={language} />
  const content = children.map(viewOf)
  if (href !== undefined) {
    return (
      <a key={key} href={href} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    )
  }
  const element = h(TAGS[tag] ?? tag, { key, start }, content)
  return tag === 'table' ? <Wide key={key}>{element}</Wide> : element
}
