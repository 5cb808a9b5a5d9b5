const SHORTEST_FENCE = 3

/** A text with its name, in a separate fence that nothing in the text can close. */
export function fenceText(name: string, text: string): string {
  const fence = fenceFor(text)
  return `Content of ${name}:\n${fence}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${fence}`
}

/** One backtick more than the longest run in the text. */
function fenceFor(text: string): string {
  let longest = SHORTEST_FENCE - 1
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return '`'.repeat(longest + 1)
}

/** As long as the opening fence, of the same character, and nothing else. */
export function closesFence(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && text === fence.charAt(0).repeat(text.length)
}
