import type { Run } from '../command.ts'
import { commandHelp, groupHelp, rootHelp } from '../words/help.ts'
import { findCommand } from '../words/parse-words.ts'

export const run: Run = async ({ args, runtime, commands }) => {
  const { out } = runtime.terminal
  const target = findCommand(commands, args)
  if (target.is === 'nowhere') throw target.fault
  const text =
    target.is === 'command'
      ? commandHelp(target.command, out)
      : target.words.length === 0
        ? rootHelp(commands, out)
        : groupHelp(commands, target.words, out)
  await out.write(`${text}\n`)
  return 0
}
