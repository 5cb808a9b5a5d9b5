/** Puts typed lines together into a message, and tells whether a message is a command. Pure. */

/** A message that is not complete yet. In a block, every line is taken as it is. */
export type Draft = { lines: readonly string[]; isBlock: boolean }

export type Collected = { is: 'incomplete'; draft: Draft } | { is: 'complete'; text: string }

const FENCE = '"""'

/** A line that ends with a backslash is continued by the next one. Three quotes start and end a block. */
export function collectLine(draft: Draft | undefined, line: string): Collected {
  if (draft?.isBlock === true) return continueBlock(draft.lines, line)
  if (draft === undefined && line.trimStart().startsWith(FENCE)) {
    return continueBlock([], line.trimStart().slice(FENCE.length))
  }
  const lines = draft?.lines ?? []
  const backslashes = /\\*$/.exec(line)?.[0].length ?? 0
  return backslashes % 2 === 1
    ? { is: 'incomplete', draft: { lines: [...lines, line.slice(0, -1)], isBlock: false } }
    : { is: 'complete', text: [...lines, line].join('\n') }
}

function continueBlock(lines: readonly string[], line: string): Collected {
  const isEnd = line.trimEnd().endsWith(FENCE)
  const text = isEnd ? line.trimEnd().slice(0, -FENCE.length) : line
  // The quotes usually stand on separate lines, which are not part of the text.
  const isEmptyEdge = text === '' && (isEnd || lines.length === 0)
  const added = isEmptyEdge ? lines : [...lines, text]
  return isEnd
    ? { is: 'complete', text: added.join('\n') }
    : { is: 'incomplete', draft: { lines: added, isBlock: true } }
}

export type ChatInput =
  | { is: 'prompt'; text: string }
  | { is: 'command'; name: string; argument: string }
  | { is: 'empty' }

/** Two slashes send a text that begins with one. A first word such as /etc/hosts is a path, not a command. */
export function parseMessage(text: string): ChatInput {
  const trimmed = text.trim()
  if (trimmed === '') return { is: 'empty' }
  if (trimmed.includes('\n') || !trimmed.startsWith('/')) return { is: 'prompt', text }
  if (trimmed.startsWith('//')) return { is: 'prompt', text: trimmed.slice(1) }
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(trimmed) ?? []
  return name.includes('/') ? { is: 'prompt', text } : { is: 'command', name, argument }
}
