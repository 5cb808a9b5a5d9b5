/** Texts of others: they must not end a fence, notify people or close issues. Pure. */

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

/**
 * Texts of others must not notify people or close issues when GitHub shows them. A space without width ends what GitHub
 * would read as a reference, and readers see the same text. Pure.
 */
const ZERO_WIDTH_SPACE = '\u200B'

/** Markdown drops a backslash before a mark. */
const ISSUE = /#(?=\d)|\bGH\\?-(?=\d)|\b(?:issues|pulls?|discussions)\\?\/(?=\d)/gi

/** Not in the address of an email. */
const PERSON = /(?<![a-z0-9])@(?=\S)/gi

/** `#12`, `GH-12` and addresses of issues and pull requests. */
export function withInertIssues(text: string): string {
  return text.replaceAll(ISSUE, `$&${ZERO_WIDTH_SPACE}`)
}

/** Those, and `@name`. */
export function withInertReferences(text: string): string {
  return withInertIssues(text).replaceAll(PERSON, `$&${ZERO_WIDTH_SPACE}`)
}

/** Those too, in Markdown, where `&#64;` is an `@`. */
export function withInertMarkdown(text: string): string {
  return withInertReferences(text.replaceAll(/&(?=#|[a-z]+;)/gi, `$&${ZERO_WIDTH_SPACE}`))
}

/** For a terminal, which follows no references. */
export function withoutInertMarks(text: string): string {
  return text.replaceAll(ZERO_WIDTH_SPACE, '')
}
