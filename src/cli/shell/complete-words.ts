import type { Run } from '../command.ts'
import { completeWords } from '../words/complete-words.ts'

/** One candidate a line, a tab before what it says. */
export const run: Run = async ({ args, runtime, commands }) => {
  const candidates = await completeWords(commands, args, runtime)
  const lines = candidates.map(({ word, description }) =>
    description === '' ? `${word}\n` : `${word}\t${description}\n`,
  )
  await runtime.terminal.out.write(lines.join(''))
  return 0
}
