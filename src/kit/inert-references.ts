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
