/** Markdown of agents, apart from other texts because the page loads its parser late. */
import { type ComponentChildren, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { type MarkdownNode, readMarkdown } from '../text/read-markdown.ts'
import { toVisible } from '../text/visible-text.ts'
import { Code, Wide } from './text-view.tsx'

/** The page has its own headings, so those of an answer are at least of the fourth level. `top`: the level of the first. */
export function Markdown({ text, top = 4 }: { text: string; top?: number }) {
  const nodes = useMemo(() => readMarkdown(toVisible(text)), [text])
  return <div class="markdown">{nodes.map((node, key) => viewOf(node, key, top))}</div>
}

function tagOf(tag: string, isEmpty: boolean, top: number): string {
  const level = /^h([1-6])$/.exec(tag)?.[1]
  if (level !== undefined) return `h${Math.min(6, Number(level) - 1 + top)}`
  // The corner of a table names nothing.
  if (tag === 'th' && isEmpty) return 'td'
  return tag === 's' ? 'del' : tag
}

function viewOf(node: MarkdownNode, key: number, top: number): ComponentChildren {
  if (typeof node === 'string') return node
  const { tag, children, href, start, language = '' } = node
  if (tag === 'pre') return <Code key={key} text={children.join('')} language={language} />
  const content = children.map((child, at) => viewOf(child, at, top))
  if (href !== undefined) {
    return (
      <a key={key} href={href} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    )
  }
  const element = h(tagOf(tag, children.length === 0, top), { key, start }, content)
  return tag === 'table' ? <Wide key={key}>{element}</Wide> : element
}
