const SHORTEST_FENCE = 3

/** A text with its name, in a fence of its own that nothing in the text can close. */
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
