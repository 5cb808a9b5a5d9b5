import { CodexEvents } from './codex-events.ts'
import { CodexText } from './codex-text.ts'
import type { Dialect, Invocation } from './dialect.ts'
import { type Ending, refuse, showVersion } from './output.ts'
import { type Arguments, type FlagTable, readArguments } from './read-arguments.ts'

const FLAGS: FlagTable = {
  '--add-dir': 'value',
  '--approve-for-me': 'switch',
  '--cd': 'value',
  '-C': '--cd',
  '--color': 'value',
  '--config': 'value',
  '-c': '--config',
  '--dangerously-bypass-approvals-and-sandbox': 'switch',
  '--yolo': '--dangerously-bypass-approvals-and-sandbox',
  '--disable': 'value',
  '--enable': 'value',
  '--ephemeral': 'switch',
  '--image': 'value',
  '-i': '--image',
  '--json': 'switch',
  '--model': 'value',
  '-m': '--model',
  '--oss': 'switch',
  '--output-last-message': 'value',
  '-o': '--output-last-message',
  '--output-schema': 'value',
  '--profile': 'value',
  '-p': '--profile',
  '--sandbox': 'value',
  '-s': '--sandbox',
  '--skip-git-repo-check': 'switch',
  '--strict-config': 'switch',
  '--version': 'switch',
  '-V': '--version',
}

export const codexDialect: Dialect = {
  readInvocation(argv) {
    const args = readArguments(argv, FLAGS)
    if ('unknownFlag' in args) return refuseFlag(args.unknownFlag)
    if (args.has('--version')) return showVersion('codex')
    if (args.words[0] !== 'exec') return refuse('Error: the fake agent answers only to "exec"', 1)
    return toInvocation(args)
  },
  toPrompt(stdin, { argument }) {
    if (argument === undefined) return stdin
    return stdin === '' ? argument : `${argument}\n\n<stdin>\n${stdin}\n</stdin>`
  },
  noPrompt: refuse('Reading prompt from stdin...\nNo prompt provided via stdin.', 1),
  noSession: (id) =>
    refuse(`Error: thread/resume: thread/resume failed: no rollout found for thread id ${id} (code -32600)`, 1),
  createOutput: (facts) => (facts.invocation.format === 'text' ? new CodexText(facts) : new CodexEvents(facts)),
}

function toInvocation(args: Arguments): Invocation {
  const [, subcommand, ...more] = args.words
  const isResume = subcommand === 'resume'
  const [resumeId] = isResume ? more : []
  const [argument] = [...(isResume ? more.slice(1) : args.words.slice(1)), ...args.rest]
  const model = args.value('--model')
  return {
    format: args.has('--json') ? 'stream-json' : 'text',
    hasPartialMessages: false,
    permission: args.value('--sandbox') ?? 'read-only',
    ...(model && { model }),
    ...(resumeId && { resumeId }),
    isEphemeral: args.has('--ephemeral'),
    ...(argument && argument !== '-' && { argument }),
  }
}

function refuseFlag(flag: string): Ending {
  const lines = [
    `error: unexpected argument '${flag}' found`,
    '',
    `  tip: to pass '${flag}' as a value, use '-- ${flag}'`,
    '',
    'Usage: codex exec [OPTIONS] [PROMPT]',
    '       codex exec [OPTIONS] <COMMAND> [ARGS]',
    '',
    "For more information, try '--help'.",
  ]
  return refuse(lines.join('\n'), 2)
}
