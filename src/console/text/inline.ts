/** Inline Markdown: emphasis, code, links. There is no HTML: a tag is text. Pure. */

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'strong' | 'em' | 'del'; children: Inline[] }
  | { type: 'link'; href: string; children: Inline[] }

/** The lengths are limited so that a hostile text cannot take more than linear time. */
const PATTERN = new RegExp(
  [
    String.raw`\\(?<escaped>[\\\x60*_{}[\]()#+\-.!~|<>])`,
    String.raw`(?<ticks>\x60+)(?!\x60)(?<code>[\s\S]{0,2000}?[^\x60])\k<ticks>(?!\x60)`,
    String.raw`\[(?<label>[^\]\n]{1,500})\]\(\s*<?(?<target>[^\s()<>]{1,2000})>?(?:\s+"[^"\n]{0,500}")?\s*\)`,
    String.raw`(?<url>https?:\/\/[^\s<>()[\]\x60"']{0,2000}[^\s<>()[\]\x60"'.,;:!?])`,
    String.raw`\*\*(?=\S)(?<strong>[\s\S]{0,2000}?\S)\*\*`,
    String.raw`(?<!\w)__(?=\S)(?<strong2>[\s\S]{0,2000}?\S)__(?!\w)`,
    String.raw`\*(?=[^\s*])(?<em>[\s\S]{0,2000}?[^\s*])\*(?!\*)`,
    String.raw`(?<!\w)_(?=[^\s_])(?<em2>[\s\S]{0,2000}?[^\s_])_(?!\w)`,
    String.raw`~~(?=\S)(?<del>[\s\S]{0,2000}?\S)~~`,
  ].join('|'),
  'g',
)

const MAX_DEPTH = 6

export function parseInline(text: string, depth = 0): Inline[] {
  if (depth >= MAX_DEPTH) return [{ type: 'text', text }]
  const found: Inline[] = []
  let end = 0
  for (const match of text.matchAll(PATTERN)) {
    if (match.index > end) found.push({ type: 'text', text: text.slice(end, match.index) })
    found.push(toInline(match[0], match.groups ?? {}, depth + 1))
    end = match.index + match[0].length
  }
  if (end < text.length) found.push({ type: 'text', text: text.slice(end) })
  return found
}

function toInline(whole: string, groups: Record<string, string | undefined>, depth: number): Inline {
  const { escaped, code, label, target, url } = groups
  if (escaped !== undefined) return { type: 'text', text: escaped }
  if (code !== undefined) return { type: 'code', text: code }
  if (url !== undefined) return { type: 'link', href: url, children: [{ type: 'text', text: url }] }
  if (label !== undefined && target !== undefined) {
    const href = safeHref(target)
    return href === undefined
      ? { type: 'text', text: whole }
      : { type: 'link', href, children: parseInline(label, depth) }
  }
  const strong = groups['strong'] ?? groups['strong2']
  if (strong !== undefined) return { type: 'strong', children: parseInline(strong, depth) }
  const em = groups['em'] ?? groups['em2']
  if (em !== undefined) return { type: 'em', children: parseInline(em, depth) }
  return { type: 'del', children: parseInline(groups['del'] ?? '', depth) }
}

/** Only addresses that open a page or a mail. Others, such as `javascript:`, stay text. */
function safeHref(target: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)[^\s]+$/i.test(target) ? target : undefined
}
