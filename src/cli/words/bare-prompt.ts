/** Decides whether a command line without a command is a prompt. A misspelled command must not start an agent and cost money. */
import type { Command } from '../command.ts'
import { findCommand, lookAhead } from './parse-words.ts'

/** With one of these flags even a single word is a prompt. */
const PROMPT_FLAGS = ['backend', 'model', 'continue']

/**
 * Puts `prompt` in front if the arguments are a prompt. They are if
 * - the first one contains a space or is `-`,
 * - there is one, and `-b`, `-m` or `-c` is given,
 * - there is none, and standard input is piped or a flag of `prompt` is given.
 */
export function addPromptCommand(
  table: readonly Command[],
  argv: readonly string[],
  isPiped: () => boolean,
): readonly string[] {
  const prompt = table.find((command) => command.words[0] === 'prompt')
  if (prompt === undefined || findCommand(table, argv).is === 'command') return argv
  const { firstWord, flags } = lookAhead(prompt, argv)
  if (flags.includes('help') || flags.includes('version')) return argv
  if (firstWord === undefined) {
    const hasPromptFlag = flags.some((flag) => prompt.flags.some((own) => own.name === flag))
    return hasPromptFlag || isPiped() ? ['prompt', ...argv] : argv
  }
  if (table.some((command) => command.words[0] === firstWord)) return argv
  const isPrompt = /\s/.test(firstWord) || firstWord === '-' || PROMPT_FLAGS.some((flag) => flags.includes(flag))
  return isPrompt ? ['prompt', ...argv] : argv
}
