import { type Dialect, type Format, type Invocation, isFormat } from './dialect.ts'
import { GeminiStream } from './gemini-stream.ts'
import { GeminiSummary } from './gemini-summary.ts'
import { type Ending, refuse, showVersion } from './output.ts'
import { type Arguments, type FlagTable, readArguments } from './read-arguments.ts'

const FLAGS: FlagTable = {
  '--accept-raw-output-risk': 'switch',
  '--admin-policy': 'values',
  '--allowed-mcp-server-names': 'values',
  '--allowed-tools': 'values',
  '--approval-mode': 'value',
  '--debug': 'switch',
  '-d': '--debug',
  '--delete-session': 'value',
  '--extensions': 'values',
  '-e': '--extensions',
  '--include-directories': 'values',
  '--model': 'value',
  '-m': '--model',
  '--output-format': 'value',
  '-o': '--output-format',
  '--policy': 'values',
  '--prompt': 'value',
  '-p': '--prompt',
  '--raw-output': 'switch',
  '--resume': 'value',
  '-r': '--resume',
  '--sandbox': 'switch',
  '-s': '--sandbox',
  '--screen-reader': 'switch',
  '--session-id': 'value',
  '--skip-trust': 'switch',
  '--version': 'switch',
  '-v': '--version',
  '--yolo': 'switch',
  '-y': '--yolo',
}

const NO_INPUT =
  'No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option.'

export const geminiDialect: Dialect = {
  readInvocation(argv) {
    const args = readArguments(argv, FLAGS)
    if ('unknownFlag' in args) return refuseFlag(args.unknownFlag)
    if (args.has('--version')) return showVersion('gemini')
    const format = args.value('--output-format') ?? 'text'
    return isFormat(format) ? toInvocation(args, format) : refuse('Invalid values: output-format', 1)
  },
  toPrompt: (stdin, { argument = '' }) => [stdin, argument].filter((part) => part !== '').join('\n\n'),
  noPrompt: refuse(NO_INPUT, 42),
  noSession: (id) => refuse(`Error resuming session: Invalid session identifier "${id}".`, 42),
  createOutput: (facts) =>
    facts.invocation.format === 'stream-json' ? new GeminiStream(facts) : new GeminiSummary(facts),
}

function toInvocation(args: Arguments, format: Format): Invocation {
  const model = args.value('--model')
  const sessionId = args.value('--session-id')
  const resumeId = args.value('--resume')
  const deleteId = args.value('--delete-session')
  const argument = args.value('--prompt') ?? args.words.join(' ')
  return {
    format,
    hasPartialMessages: true,
    permission: args.value('--approval-mode') ?? 'default',
    ...(model && { model }),
    ...(sessionId && { sessionId }),
    ...(resumeId && { resumeId }),
    ...(deleteId && { deleteId }),
    isEphemeral: false,
    ...(argument && { argument }),
  }
}

/** Names the flag as gemini does, which reads a leading "no-" as a negation. */
function refuseFlag(flag: string): Ending {
  const name = flag.replace(/^-+/, '').replace(/^no-/, '')
  const camel = name.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase())
  const names = name === camel ? `Unknown argument: ${name}` : `Unknown arguments: ${name}, ${camel}`
  return refuse(`${names}\nUsage: gemini [options] [command]`, 1)
}
