/** From the words of the command line to the exit code: the only place that catches everything. */
import { withPrompt } from './bare-prompt.ts'
import type { Command, World } from './command.ts'
import { nameOf } from './command.ts'
import { COMMANDS } from './command-table.ts'
import { type Asker, failureOf } from './fault-exit.ts'
import { findCommand, needsSubcommand, parseRootFlags, parseWords, type Target } from './parse-words.ts'

export async function main(argv: readonly string[], world: World): Promise<number> {
  let target: Target | undefined
  try {
    target = findCommand(COMMANDS, withPrompt(COMMANDS, argv, world.stdin.isFed))
    return target.is === 'command' ? await runCommand(target, world) : await answerGroup(target, world)
  } catch (error) {
    const failure = failureOf(error, askerOf(target, argv, world))
    await world.terminal.err.write(`${failure.text}\n`)
    return failure.exitCode
  }
}

async function runCommand(target: { command: Command; rest: readonly string[] }, world: World): Promise<number> {
  const { command, args, flags } = parseWords(target.command, target.rest)
  if (flags.isOn('help')) {
    const { commandHelp } = await import('./help.ts')
    await world.terminal.out.write(`${commandHelp(command, world.terminal.out)}\n`)
    return 0
  }
  const { run } = await command.load()
  return await run({ args, flags, world, commands: COMMANDS })
}

/** No command: the version or the help was asked for, or a subcommand is missing. */
async function answerGroup(
  target: { words: readonly string[]; rest: readonly string[] },
  world: World,
): Promise<number> {
  const { words } = target
  const { out } = world.terminal
  const flags = parseRootFlags(target.rest, words)
  if (flags.isOn('version')) {
    await out.write(`drover ${world.version()}\n`)
    return 0
  }
  if (words.length > 0 && !flags.isOn('help')) throw needsSubcommand(COMMANDS, words)
  const { groupHelp, rootHelp } = await import('./help.ts')
  await out.write(`${words.length === 0 ? rootHelp(COMMANDS, out) : groupHelp(COMMANDS, words, out)}\n`)
  return 0
}

/** A failure must be answerable before the flags could be read, so this looks at the bare words. */
function askerOf(target: Target | undefined, argv: readonly string[], world: World): Asker {
  const command = target?.is === 'command' ? target.command : undefined
  return {
    group: command?.group,
    command: command === undefined ? (target?.is === 'group' ? target.words.join(' ') : '') : nameOf(command),
    wantsJson: asksForJson(argv),
    wantsStack: (world.env['DROVER_DEBUG'] ?? '') !== '',
  }
}

function asksForJson(argv: readonly string[]): boolean {
  const dashes = argv.indexOf('--')
  const words = dashes === -1 ? argv : argv.slice(0, dashes)
  return words.some((word, at) => {
    const withNext = ['-o', '--output-format'].includes(word) ? `${word}=${words[at + 1]}` : word
    return /^(--json|(-o|--output-format)=?(stream-)?json)$/.test(withNext)
  })
}
