import { defineFault } from '../kit/fault.ts'
import { quoteWord } from '../kit/shell-words.ts'

const hint = (nearest: string | undefined) => (nearest === undefined ? '' : `; did you mean ${nearest}?`)

export const commandUnknown = defineFault({
  code: 'command_unknown',
  kind: 'usage',
  when: 'The first words name no command.',
  say: (d: { given: string; nearest: string | undefined; asPrompt: string | undefined }) => {
    if (d.given === '') return 'the first word is empty, which is neither a command nor a prompt'
    const other = d.asPrompt === undefined ? '' : `; "drover prompt ${quoteWord(d.asPrompt)}" sends it as a prompt`
    return `there is no command "${d.given}"${d.nearest === undefined ? other : hint(d.nearest)}`
  },
})

export const subcommandRequired = defineFault({
  code: 'subcommand_required',
  kind: 'usage',
  when: 'A command that only groups others was given without one of them.',
  say: (d: { command: string; known: readonly string[] }) =>
    `drover ${d.command} needs a subcommand: ${d.known.join(', ')}`,
})

export const protocolOperationRequired = defineFault({
  code: 'protocol_operation_required',
  kind: 'usage',
  when: 'No operation was named after `drover protocol`.',
  say: (d: { known: readonly string[] }) => `drover protocol needs an operation: ${d.known.join(', ')}`,
})

export const flagUnknown = defineFault({
  code: 'flag_unknown',
  kind: 'usage',
  when: 'A flag that the command does not have.',
  say: (d: { flag: string; command: string; nearest: string | undefined }) =>
    `drover${d.command === '' ? '' : ` ${d.command}`} has no flag ${d.flag}${hint(d.nearest)}`,
})

export const flagValueMissing = defineFault({
  code: 'flag_value_missing',
  kind: 'usage',
  when: 'A flag that takes a value was given without one.',
  say: (d: { flag: string; name: string; value: string }) =>
    `${d.flag} needs a value; write --${d.name}=${d.value} if the value starts with a dash`,
})

export const flagValueInvalid = defineFault({
  code: 'flag_value_invalid',
  kind: 'usage',
  when: 'The value of a flag is not one that the flag allows.',
  say: (d: { flag: string; given: string; allowed: string }) => `${d.flag} must be ${d.allowed}, not "${d.given}"`,
})

export const flagValueEmpty = defineFault({
  code: 'flag_value_empty',
  kind: 'usage',
  when: 'The value of a flag is an empty text, which says nothing.',
  say: (d: { flag: string }) => `${d.flag} was given an empty value; give it one, or leave the flag out`,
})

export const argumentMissing = defineFault({
  code: 'argument_missing',
  kind: 'usage',
  when: 'A command was given fewer words than it needs.',
  say: (d: { command: string; name: string; choices?: readonly string[] | undefined }) => {
    const among = d.choices === undefined ? '' : `, one of ${d.choices.join(', ')}`
    return `drover ${d.command} needs ${d.name.startsWith('-') ? d.name : `<${d.name}>`}${among}`
  },
})

export const argumentUnexpected = defineFault({
  code: 'argument_unexpected',
  kind: 'usage',
  when: 'A command was given more words than it takes.',
  say: (d: { command: string; given: string }) =>
    `drover ${d.command} takes no further argument, but "${d.given}" was given; quote it if it belongs to the one before`,
})

export const argumentInvalid = defineFault({
  code: 'argument_invalid',
  kind: 'usage',
  when: 'A word given to a command is not one that it allows.',
  say: (d: { name: string; given: string; allowed: readonly string[]; nearest: string | undefined }) =>
    `${d.name} must be one of ${d.allowed.join(', ')}, not "${d.given}"${hint(d.nearest)}`,
})

export const inputTooLarge = defineFault({
  code: 'input_too_large',
  kind: 'too_large',
  when: 'More was piped into the program than it takes.',
  say: (d: { limitBytes: number }) => `standard input holds more than ${d.limitBytes} bytes, which is all drover takes`,
})

export const promptMissing = defineFault({
  code: 'prompt_missing',
  kind: 'usage',
  when: 'No prompt was given as an argument, in a file or on standard input.',
  say: () => 'there is no prompt; give one as an argument, with --file FILE, or pipe it in',
})

export const promptTwice = defineFault({
  code: 'prompt_twice',
  kind: 'usage',
  when: 'A prompt was given both as an argument and in a file.',
  say: () => 'the prompt was given twice, as an argument and with --file; leave one out',
})

export const workdirMissing = defineFault({
  code: 'workdir_missing',
  kind: 'usage',
  when: 'The working directory of a prompt does not exist, or is no directory.',
  say: (d: { workdir: string }) => `there is no directory ${d.workdir} to work in`,
})

export const nothingToContinue = defineFault({
  code: 'nothing_to_continue',
  kind: 'not_found',
  when: 'There is no session that `--continue` or `--last` could go on with; sessions whose directory is gone do not count.',
  say: (d: { workdir: string | undefined; backend: string | undefined; gone: number }) => {
    const [of, at] = [
      d.backend === undefined ? '' : ` of ${d.backend}`,
      d.workdir === undefined ? '' : ` in ${d.workdir}`,
    ]
    const gone = d.gone === 0 ? '' : ` (the directory of ${d.gone === 1 ? 'one' : d.gone} no longer exists)`
    return `there is no session${of}${at} that could be continued${gone}; "drover sessions list" shows all`
  },
})

export const outputFailed = defineFault({
  code: 'output_failed',
  kind: 'unavailable',
  when: 'What a command printed could not be written, as on a full disk.',
  say: (d: { reason: string }) => `the output could not be written: ${d.reason}`,
})

export const flagsConflict = defineFault({
  code: 'flags_conflict',
  kind: 'usage',
  when: 'Two flags were given that exclude each other.',
  say: (d: { flags: readonly [string, string]; instead?: string }) =>
    `${d.flags.join(' and ')} exclude each other; ${d.instead ?? 'leave one of them out'}`,
})

/** Runs have ids with hyphens, sessions without. */
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const sessionNotNamed = defineFault({
  code: 'session_not_named',
  kind: 'usage',
  when: 'A session is to be resumed, but it was not said which one.',
  say: ({ given }: { given: string | undefined }) => {
    const lack =
      given === undefined
        ? 'it was not said which session to resume'
        : `${JSON.stringify(given)} is not the id of a session`
    const run = given !== undefined && RUN_ID.test(given) ? `; a run goes on by "drover protocol resume ${given}"` : ''
    return `${lack}; give an id ("drover sessions list" shows them), or --last for the latest one${run}`
  },
})

export const exportExists = defineFault({
  code: 'export_exists',
  kind: 'conflict',
  when: 'The file to which sessions are to be written exists, and `--force` was not given; it is left as it is.',
  say: (d: { path: string }) => `${d.path} exists already; choose another name, or replace it with --force`,
})

export const cleaningRefused = defineFault({
  code: 'cleaning_refused',
  kind: 'usage',
  when: 'To clean up as asked would delete every session, and that was not confirmed; nothing was deleted.',
  say: (d: { reason: 'unconfirmed' | 'kept_for_ever' | 'age_zero' }) => {
    if (d.reason === 'unconfirmed')
      return '--all deletes every session; add --yes if that is meant, or --dry-run to see'
    const problem =
      d.reason === 'age_zero'
        ? '--older-than 0 would delete every session'
        : 'session.retention_days is 0, so sessions are kept for ever'
    return `${problem}; say how old with --older-than 30d, or delete all with --all --yes`
  },
})

export const tasksMissing = defineFault({
  code: 'tasks_missing',
  kind: 'usage',
  when: 'A file for `drover parallel` or `drover chain` holds nothing to run, or there is no such file at all.',
  say: (d: { noun: 'tasks' | 'steps'; source: string | undefined }) => {
    const lack = d.noun === 'tasks' ? 'no tasks provided' : 'no steps defined'
    return d.source === undefined
      ? `${lack}; name a file with --file FILE, or pipe one in`
      : `${lack}: ${d.source} holds none`
  },
})

/** `line` is missing where the trouble is not at one place. */
export type TaskProblem = { path: string; rule: string; line?: number; column?: number }

const SHOWN_TASK_PROBLEMS = 20

export const taskFileInvalid = defineFault({
  code: 'task_file_invalid',
  kind: 'usage',
  when: 'A file of tasks or steps breaks a rule; nothing was started, and the details list every problem with its place.',
  say: (d: { source: string; problems: readonly TaskProblem[] }) => {
    const lines = d.problems.slice(0, SHOWN_TASK_PROBLEMS).map(({ path, rule, line, column }) => {
      const where = line === undefined ? '' : `:${line}:${column}`
      return `${d.source}${where}: ${path === '' ? '' : `${path} `}${rule}`
    })
    const more = d.problems.length - lines.length
    if (more > 0) lines.push(`and ${more} more`)
    return `nothing was started:${lines.length === 1 ? ' ' : '\n'}${lines.join('\n')}`
  },
})

export const taskFileUnreadable = defineFault({
  code: 'task_file_unreadable',
  kind: 'usage',
  when: 'A file of tasks or steps is missing, is no file, is too large, or is not UTF-8 text; nothing was started.',
  say: (d: { problem: string }) => `nothing was started: ${d.problem}`,
})

export const resultsExist = defineFault({
  code: 'results_exist',
  kind: 'usage',
  when: 'The directory for results holds those of an earlier run, and `--force` was not given; nothing was started.',
  say: (d: { directory: string; count: number }) =>
    `${d.directory} holds ${d.count} result files of an earlier run; choose another directory, or replace them with --force`,
})

export const resultsRefused = defineFault({
  code: 'results_refused',
  kind: 'usage',
  when: 'The directory for results cannot be made or is none; nothing was started.',
  say: (d: { directory: string; problem: string }) =>
    `results cannot be written to ${d.directory}: ${d.problem}; choose another directory`,
})

export const noBackendLeft = defineFault({
  code: 'no_backend_left',
  kind: 'unavailable',
  when: 'None of the agents that are to be compared can be used.',
  say: () => 'none of these agents can be used; "drover backends" shows why, and --demo lets a built-in agent stand in',
})

export const backendsNotNamed = defineFault({
  code: 'backends_not_named',
  kind: 'usage',
  when: 'Agents are to be compared, but it was not said which ones.',
  say: () => 'specify backends with --backends claude,codex, or take all that are installed with --all-backends',
})
