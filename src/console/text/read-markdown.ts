/** Markdown as agents write it, as a tree of elements. markdown-it reads it, as it does for issues. There is no HTML: a tag is text. Pure. */
import MarkdownIt, { type Token } from 'markdown-it'

type MarkdownElement = {
  /** The tag of HTML that it is shown with. */
  tag: string
  children: MarkdownNode[]
  /** Of `a`. */
  href?: string
  /** Of `ol`. */
  start?: number
  /** Of `pre`. */
  language?: string
}
export type MarkdownNode = string | MarkdownElement

/** Longer texts, and those with more quotes and lists in each other, are shown as they are. */
const MAX_LENGTH = 200_000
const MAX_LEVELS = 100

const reader = new MarkdownIt({ linkify: true, maxNesting: MAX_LEVELS + 1 })
// Nothing in a text may be invisible: a definition of a link would be, and an entity may be any character.
reader.disable(['reference', 'entity', 'image'])
reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
// Only addresses that open a page or a mail. Others, such as `javascript:`, stay text.
reader.validateLink = (href) => /^(?:https?:\/\/|mailto:)\S+$/i.test(href)

export function readMarkdown(text: string): MarkdownNode[] {
  const tokens = text.length > MAX_LENGTH ? undefined : reader.parse(text, {})
  return tokens === undefined || tokens.some(isNestedTooDeep) ? [toCode(text, '')] : toNodes(tokens)
}

/** The reader leaves out what is in it. */
function isNestedTooDeep({ type, level }: Token): boolean {
  return level >= MAX_LEVELS && (type === 'blockquote_open' || type === 'list_item_open')
}

function toNodes(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownElement = { tag: '', children: [] }
  const open = [root]
  for (const token of tokens) {
    const { children } = open.at(-1) ?? root
    if (token.nesting === -1) open.pop()
    else if (token.nesting === 0) children.push(...toLeaves(token))
    // The paragraph of an item that is only a line.
    else if (token.hidden) open.push({ tag: '', children })
    else {
      const element = toElement(token)
      children.push(element)
      open.push(element)
    }
  }
  return root.children
}

function toElement({ tag, attrs }: Token): MarkdownElement {
  const { href, start } = Object.fromEntries(attrs ?? []) as { href?: string; start?: string }
  return {
    tag,
    children: [],
    ...(href !== undefined && { href }),
    ...(start !== undefined && { start: Number(start) }),
  }
}

function toLeaves({ type, tag, content, info, children }: Token): MarkdownNode[] {
  switch (type) {
    case 'inline':
      return toNodes(children ?? [])
    case 'fence':
    case 'code_block':
      return [toCode(content.replace(/\n$/, ''), info.trim().split(/\s/, 1)[0] ?? '')]
    case 'code_inline':
      return [{ tag: 'code', children: [content] }]
    case 'softbreak':
      return ['\n']
    case 'hr':
    case 'hardbreak':
      return [{ tag, children: [] }]
    default:
      return content === '' ? [] : [content]
  }
}

function toCode(text: string, language: string): MarkdownElement {
  return { tag: 'pre', language, children: [text] }
}
