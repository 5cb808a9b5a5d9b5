import type { Run } from '../command.ts'
import { completeWords } from '../words/complete-words.ts'

/** One candidate a line, a tab before what it says. */
export const run: Run = async ({ args, world, commands }) => {
  const candidates = await completeWords(commands, args, world)
  const lines = candidates.map(({ word, says }) => (says === '' ? `${word}\n` : `${word}\t${says}\n`))
  await world.terminal.out.write(lines.join(''))
  return 0
}
