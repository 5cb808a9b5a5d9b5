/** Adds files and piped input to the text of a prompt. Pure. */

export type AddedText = {
  /** What the agent is told about it: `standard input`, `the file "src/a.ts"`. */
  name: string
  text: string
}

/** Each text follows the prompt in a fence of its own that nothing in the text can close. */
export function addTexts(prompt: string, added: readonly AddedText[]): string {
  return [prompt, ...added.map(formatText)].join('\n\n')
}

function formatText({ name, text }: AddedText): string {
  const fence = fenceFor(text)
  return `Content of ${name}:\n${fence}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${fence}`
}

const SHORTEST_FENCE = 3

/** One backtick more than the longest run in the text. */
function fenceFor(text: string): string {
  let longest = SHORTEST_FENCE - 1
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return '`'.repeat(longest + 1)
}

/** The paths that a prompt names as `@path`, as other programs attach files, in the order of the text. */
export function pathsAfterAt(prompt: string): string[] {
  const words = Array.from(prompt.matchAll(/(?<=^|[\s("'])@([^\s"')]+)/g), ([, path = '']) => path)
  return [...new Set(words.flatMap((word) => [word, word.replace(/[.,;:!?]+$/, '')]))].filter((path) => path !== '')
}
