import { toLines } from '../../src/demo/demo-answer.ts'
import { textOfMessages } from './claude-input.ts'
import { toMissingSession } from './claude-result.ts'
import { ClaudeStream } from './claude-stream.ts'
import { ClaudeSummary } from './claude-summary.ts'
import { type Dialect, type Format, type Invocation, isFormat } from './dialect.ts'
import { refuse, showVersion } from './output.ts'
import { type Arguments, type FlagTable, readArguments } from './read-arguments.ts'

const FLAGS: FlagTable = {
  '--add-dir': 'values',
  '--agent': 'value',
  '--agents': 'value',
  '--allowed-tools': 'values',
  '--allowedTools': '--allowed-tools',
  '--append-system-prompt': 'value',
  '--append-system-prompt-file': 'value',
  '--bare': 'switch',
  '--betas': 'values',
  '--dangerously-skip-permissions': 'switch',
  '--debug': 'switch',
  '--debug-file': 'value',
  '--disable-slash-commands': 'switch',
  '--disallowed-tools': 'values',
  '--disallowedTools': '--disallowed-tools',
  '--effort': 'value',
  '--fallback-model': 'value',
  '--fork-session': 'switch',
  '--include-partial-messages': 'switch',
  '--input-format': 'value',
  '--json-schema': 'value',
  '--max-budget-usd': 'value',
  '--max-turns': 'value',
  '--mcp-config': 'values',
  '--model': 'value',
  '--no-session-persistence': 'switch',
  '--output-format': 'value',
  '--permission-mode': 'value',
  '--permission-prompt-tool': 'value',
  '--print': 'switch',
  '-p': '--print',
  '--resume': 'value',
  '-r': '--resume',
  '--session-id': 'value',
  '--setting-sources': 'value',
  '--settings': 'value',
  '--strict-mcp-config': 'switch',
  '--system-prompt': 'value',
  '--system-prompt-file': 'value',
  '--tools': 'values',
  '--verbose': 'switch',
  '--version': 'switch',
  '-v': '--version',
}

const NEEDS_VERBOSE = 'Error: When using --print, --output-format=stream-json requires --verbose'
const NEEDS_STREAM = 'Error: --input-format=stream-json requires output-format=stream-json.'
const NO_INPUT = 'Error: Input must be provided either through stdin or as a prompt argument when using --print'

export const claudeDialect: Dialect = {
  readInvocation(argv) {
    const args = readArguments(argv, FLAGS)
    if ('unknownFlag' in args) return refuse(`error: unknown option '${args.unknownFlag}'`, 1)
    if (args.has('--version')) return showVersion('claude')
    if (!args.has('--print')) return refuse('Error: the fake agent answers only with --print', 1)
    const format = args.value('--output-format') ?? 'text'
    if (!isFormat(format)) return refuse(`error: option '--output-format <format>' argument '${format}' is invalid`, 1)
    if (format === 'stream-json' && !args.has('--verbose')) return refuse(NEEDS_VERBOSE, 1)
    if (format !== 'stream-json' && hasMessageInput(args)) return refuse(NEEDS_STREAM, 1)
    return toInvocation(args, format)
  },
  toPrompt(stdin, { argument = '', hasMessageInput }) {
    const text = hasMessageInput ? textOfMessages(stdin) : stdin
    return [argument, text].filter((part) => part !== '').join('\n')
  },
  noPrompt: refuse(NO_INPUT, 1),
  noSession(id, { format, newId }) {
    const error = `No conversation found with session ID: ${id}`
    const stdout = format === 'stream-json' ? toLines([toMissingSession(id, { error, uuid: newId() })]) : ''
    return { output: { stdout, stderr: `${error}\n` }, exitCode: 1 }
  },
  createOutput: (facts) =>
    facts.invocation.format === 'stream-json' ? new ClaudeStream(facts) : new ClaudeSummary(facts),
}

function toInvocation(args: Arguments, format: Format): Invocation {
  const model = args.value('--model')
  const sessionId = args.value('--session-id')
  const resumeId = args.value('--resume')
  const argument = [...args.words, ...args.rest].join(' ')
  return {
    format,
    hasPartialMessages: args.has('--include-partial-messages'),
    permission: args.value('--permission-mode') ?? 'default',
    ...(model && { model }),
    ...(sessionId && { sessionId }),
    ...(resumeId && { resumeId }),
    isEphemeral: args.has('--no-session-persistence'),
    hasSchema: args.has('--json-schema'),
    ...(argument && { argument }),
    hasMessageInput: hasMessageInput(args),
  }
}

function hasMessageInput(args: Arguments): boolean {
  return args.value('--input-format') === 'stream-json'
}
