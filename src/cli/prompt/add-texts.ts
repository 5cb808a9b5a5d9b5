/** Adds files and piped input to the text of a prompt. Pure. */
import { fenceText } from '../../kit/fenced-text.ts'

export type AddedText = {
  /** What the agent is told about it: `standard input`, `the file "src/a.ts"`. */
  name: string
  text: string
}

/** Each text follows the prompt in a separate fence that nothing in the text can close. */
export function addTexts(prompt: string, added: readonly AddedText[]): string {
  return [prompt, ...added.map(({ name, text }) => fenceText(name, text))].join('\n\n')
}

/** The paths that a prompt names as `@path`, as other programs attach files, in the order of the text. */
export function pathsAfterAt(prompt: string): string[] {
  const words = Array.from(prompt.matchAll(/(?<=^|[\s("'])@([^\s"')]+)/g), ([, path = '']) => path)
  return [...new Set(words.flatMap((word) => [word, word.replace(/[.,;:!?]+$/, '')]))].filter((path) => path !== '')
}
