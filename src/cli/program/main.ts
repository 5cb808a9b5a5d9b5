/** Runs a command line and returns the exit code. The only place that catches every error. */
import type { Command, Group, Runtime } from '../command.ts'
import { EXIT, isChangeGroup } from '../exit-status.ts'
import type { FailureContext } from '../failures/describe-failure.ts'
import {
  addPromptCommand,
  findCommand,
  type GivenFlag,
  givenFlags,
  needsSubcommand,
  parseRootFlags,
  parseWords,
  type Target,
  withDefaultCommand,
} from '../words/parse-words.ts'
import { COMMANDS } from './command-table.ts'

export async function main(argv: readonly string[], runtime: Runtime): Promise<number> {
  let target: Target | undefined
  try {
    const words = addPromptCommand(COMMANDS, argv, runtime.stdin.isPiped)
    target = withDefaultCommand(COMMANDS, findCommand(COMMANDS, words))
    if (target.is === 'unknown') throw target.fault()
    return target.is === 'command' ? await runCommand(target, runtime) : await runWithoutCommand(target, runtime)
  } catch (error) {
    return await printFailure(error, readFailureContext(target, argv, runtime), runtime)
  }
}

async function printFailure(error: unknown, context: FailureContext, runtime: Runtime): Promise<number> {
  const { describeFailure } = await import('../failures/describe-failure.ts')
  const { text, exitCode } = await describeFailure(error, context)
  const written = await runtime.terminal.err.write(`${text}\n`).catch(() => 'failed' as const)
  return written === 'written' || !isChangeGroup(context.group) ? exitCode : EXIT.failure
}

async function runCommand(target: { command: Command; rest: readonly string[] }, runtime: Runtime): Promise<number> {
  const { command, args, flags } = parseWords(target.command, target.rest, COMMANDS)
  if (flags.isOn('help')) {
    const { commandHelp } = await import('../shell/help.ts')
    await runtime.terminal.out.write(`${commandHelp(command, runtime.terminal.out)}\n`)
    return 0
  }
  const { run } = await command.load()
  return await run({ args, flags, runtime, commands: COMMANDS })
}

/** Prints the version, help or a short welcome, or reports a missing subcommand. */
async function runWithoutCommand(
  target: { words: readonly string[]; rest: readonly string[] },
  runtime: Runtime,
): Promise<number> {
  const { words } = target
  const { out } = runtime.terminal
  const flags = parseRootFlags(COMMANDS, target.rest, words)
  if (flags.isOn('version')) {
    await out.write(`drover ${runtime.version()}\n`)
    return 0
  }
  if (words.length > 0 && !flags.isOn('help')) throw needsSubcommand(COMMANDS, words)
  if (!flags.isOn('help')) {
    const { run } = await import('../shell/welcome.ts')
    return await run({ args: [], flags, runtime, commands: COMMANDS })
  }
  const { groupHelp } = await import('../shell/help.ts')
  await out.write(`${groupHelp(COMMANDS, words, out)}\n`)
  return 0
}

/** Reads the flags without checking them, because that may be what failed. */
function readFailureContext(target: Target | undefined, argv: readonly string[], runtime: Runtime): FailureContext {
  const command = target?.is === 'command' ? target.command : undefined
  const words = (target?.is === 'command' ? target.command.words : target?.words) ?? []
  const given = givenFlags(command === undefined ? COMMANDS : [command], argv)
  return {
    group: command?.failsAs ?? command?.group ?? findGroup(words[0] ?? argv.find((word) => !word.startsWith('-'))),
    command: words.join(' '),
    wantsJson: asksForJson(given),
    wantsStack: (runtime.env['DROVER_DEBUG'] ?? '') !== '',
    isTty: runtime.terminal.err.isTty,
    findWorkspaceId: async () => {
      const { WorkspaceCommand } = await import('../workspace-command.ts')
      const root = given.findLast(({ name }) => name === 'root')?.value
      return (await new WorkspaceCommand(runtime, root).workspaceRef()).id
    },
  }
}

/** The group of the commands that start with this word, for command lines without a valid command. */
function findGroup(first: string | undefined): Group | undefined {
  const found = COMMANDS.find(({ words }) => words[0] === first)
  return found?.failsAs ?? found?.group
}

function asksForJson(given: readonly GivenFlag[]): boolean {
  return given.some(({ name, value }) => {
    if (name === 'json') return value === undefined || value === 'true'
    return name === 'output-format' && /^=?(stream-)?json$/.test(value ?? '')
  })
}
