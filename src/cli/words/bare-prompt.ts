/** Whether words without a command are a prompt. A mistyped command must never start a run that costs money. */
import type { Command } from '../command.ts'
import { lookAhead } from './parse-words.ts'

/** Flags that only a prompt has, so that even a single word with one of them is a prompt. */
const TELLING_FLAGS = ['backend', 'model', 'continue']

/**
 * The words with `prompt` in front, when they are one: a first word with a space in it, any word together with `-b`,
 * `-m` or `-c`, a lone `-`, or no word at all while something is piped in or a flag of `prompt` is given.
 */
export function withPrompt(
  table: readonly Command[],
  argv: readonly string[],
  isPiped: () => boolean,
): readonly string[] {
  const prompt = table.find((command) => command.words[0] === 'prompt')
  if (prompt === undefined) return argv
  const { firstWord, flags } = lookAhead(prompt, argv)
  if (flags.includes('help') || flags.includes('version')) return argv
  if (firstWord === undefined) {
    const hasPromptFlag = flags.some((flag) => prompt.flags.some((own) => own.name === flag))
    return hasPromptFlag || isPiped() ? ['prompt', ...argv] : argv
  }
  if (table.some((command) => command.words[0] === firstWord)) return argv
  const isPrompt = /\s/.test(firstWord) || firstWord === '-' || TELLING_FLAGS.some((flag) => flags.includes(flag))
  return isPrompt ? ['prompt', ...argv] : argv
}
