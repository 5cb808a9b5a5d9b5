import { defineFault } from '../kit/fault.ts'
import { nearestWord } from '../kit/match-names.ts'
import { quoteWord } from '../kit/shell-words.ts'

const hint = (nearest: string | undefined) => (nearest === undefined ? '' : `; did you mean ${nearest}?`)

export const commandUnknown = defineFault('command_unknown', 'usage', {
  when: 'There is no command with this name.',
  message: (d: {
    given: string
    nearest: string | undefined
    asPrompt: string | undefined
    /** Several words after it are more likely a prompt, even if the first one resembles a command. */
    isSentence: boolean
  }) => {
    if (d.given === '') return 'the first argument is empty; give a command or a prompt'
    const hasPrompt = d.asPrompt !== undefined && (d.nearest === undefined || d.asPrompt.includes(' '))
    const asPrompt = hasPrompt ? `to send it as a prompt, run "drover prompt ${quoteWord(d.asPrompt ?? '')}"` : ''
    const meant = d.nearest === undefined ? '' : `did you mean ${d.nearest}?`
    const ways = (d.isSentence ? [asPrompt, meant] : [meant, asPrompt])
      .filter((way) => way !== '')
      .join(d.isSentence ? '; ' : ' Or ')
    return `unknown command "${d.given}"${ways === '' ? '' : `; ${ways}`}`
  },
})

export const subcommandRequired = defineFault('subcommand_required', 'usage', {
  when: 'A group of commands was named without a subcommand.',
  message: (d: { command: string; known: readonly string[] }) =>
    `drover ${d.command} needs a subcommand: ${d.known.join(', ')}`,
})

export const protocolOperationRequired = defineFault('protocol_operation_required', 'usage', {
  when: 'The command `drover protocol` was called without an operation.',
  message: (d: { known: readonly string[] }) => `drover protocol needs an operation: ${d.known.join(', ')}`,
})

export const flagUnknown = defineFault('flag_unknown', 'usage', {
  when: 'The command does not have this flag.',
  message: (d: { flag: string; command: string; nearest: string | undefined; owners: readonly string[] }) => {
    const elsewhere = d.owners.length === 0 ? '' : `; it is a flag of ${d.owners.join(', ')}`
    return `drover${d.command === '' ? '' : ` ${d.command}`} has no flag ${d.flag}${d.nearest === undefined ? elsewhere : hint(d.nearest)}`
  },
})

export const flagMissing = defineFault('flag_missing', 'usage', {
  when: 'An argument needs a flag that was not given.',
  message: (d: { flag: string; what: string; example: string }) => `${d.what} needs ${d.flag}: ${d.example}`,
})

export const flagValueMissing = defineFault('flag_value_missing', 'usage', {
  when: 'A flag needs a value and was given without one.',
  message: (d: { flag: string }) => `${d.flag} needs a value`,
})

export const flagValueInvalid = defineFault('flag_value_invalid', 'usage', {
  when: 'The value of a flag is not allowed.',
  message: (d: {
    flag: string
    given: string
    allowed: string
    known?: readonly string[]
    todo?: string | undefined
  }) =>
    `${d.flag} must be ${d.allowed}, not "${d.given}"${d.todo === undefined ? hint(nearestWord(d.given, d.known ?? [])) : `; ${d.todo}`}`,
})

export const flagValueEmpty = defineFault('flag_value_empty', 'usage', {
  when: 'The value of a flag is empty.',
  message: (d: { flag: string }) => `the value of ${d.flag} is empty; give a value or leave the flag out`,
})

export const argumentMissing = defineFault('argument_missing', 'usage', {
  when: 'A required argument or flag is missing.',
  message: (d: { command: string; name: string; choices?: readonly string[] | undefined }) => {
    const among = d.choices === undefined ? '' : `, one of ${d.choices.join(', ')}`
    return `drover ${d.command} needs ${d.name.startsWith('-') ? d.name : `<${d.name}>`}${among}`
  },
})

export const comparisonNeedsWorktree = defineFault('comparison_needs_worktree', 'usage', {
  when: 'A comparison with `--worktrees` was started outside a git worktree.',
  message: (d: { path: string }) =>
    `${d.path} is not inside a git worktree; name one with --workdir or create one with git init`,
})

const ARGUMENT_HINTS = {
  some: 'quote an argument that contains spaces',
  none: 'it accepts none',
  'a file': 'give a file with --file FILE',
} as const

export const argumentUnexpected = defineFault('argument_unexpected', 'usage', {
  when: 'A command was given more arguments than it accepts.',
  message: (d: { command: string; given: string; takes: 'some' | 'none' | 'a file' }) =>
    `drover ${d.command} does not accept the argument "${d.given}"; ${ARGUMENT_HINTS[d.takes]}`,
})

export const argumentInvalid = defineFault('argument_invalid', 'usage', {
  when: 'The value of an argument is not allowed.',
  message: (d: { name: string; given: string; allowed: readonly string[]; nearest: string | undefined }) =>
    `${d.name} must be one of ${d.allowed.join(', ')}, not "${d.given}"${hint(d.nearest)}`,
})

export const storePasswordVisible = defineFault('store_password_visible', 'usage', {
  when: 'The address of a store on the command line contains a password, which every user of the machine could read there.',
  message: (d: { argument: string }) =>
    `${d.argument} has a password, and other users and agents can read a program's arguments; remove the password and set PGPASSWORD instead`,
})

export const inputTooLarge = defineFault('input_too_large', 'too_large', {
  when: 'Standard input is larger than the limit.',
  message: (d: { limitBytes: number }) =>
    `standard input is larger than the limit of ${d.limitBytes} bytes; shorten it`,
})

export const promptMissing = defineFault('prompt_missing', 'usage', {
  when: 'No prompt was given as an argument, in a file or on standard input.',
  message: () => 'no prompt; give it as an argument, with --file FILE, or on standard input',
})

export const promptTwice = defineFault('prompt_twice', 'usage', {
  when: 'A prompt was given both as an argument and in a file.',
  message: () => 'the prompt was given twice, as an argument and with --file; use only one',
})

export const attachmentNotText = defineFault('attachment_not_text', 'usage', {
  when: 'A file given with `--attach` is not UTF-8 text. Nothing was sent.',
  message: (d: { path: string }) =>
    `${d.path} is not UTF-8 text, so it cannot be attached; mention its path in the prompt so that the agent can open it`,
})

export const addedInputTooLarge = defineFault('added_input_too_large', 'too_large', {
  when: 'Together with its attached files and piped input, a prompt exceeds the limit.',
  message: (d: { limitBytes: number }) =>
    `the prompt, together with everything added to it, is larger than the limit of ${d.limitBytes} bytes`,
})

export const workdirMissing = defineFault('workdir_missing', 'usage', {
  when: 'The working directory of a prompt, or one of `--add-dir`, does not exist or is not a directory.',
  message: (d: { workdir: string; isAdded: boolean }) =>
    `the ${d.isAdded ? '' : 'working '}directory ${d.workdir} does not exist or is not a directory; create it or choose another`,
})

export const nothingToContinue = defineFault('nothing_to_continue', 'not_found', {
  when: 'No session matches `--continue`, `--last` or `--here`. Sessions whose directory no longer exists are not considered.',
  message: (d: { workdir: string | undefined; backend: string | undefined; gone: number }) => {
    const [of, at] = [
      d.backend === undefined ? '' : ` of ${d.backend}`,
      d.workdir === undefined ? '' : ` in ${d.workdir}`,
    ]
    const gone =
      d.gone === 0 ? '' : ` (the directory of ${d.gone === 1 ? 'one session' : `${d.gone} sessions`} no longer exists)`
    const problem = `no session${of}${at} can be continued${gone}`
    if (d.workdir === undefined) return `${problem}; "drover sessions list" shows all sessions`
    return `${problem}; -c and --here continue the latest session of one directory, "drover resume ID" continues any session in "drover sessions list", and "drover resume --last" continues the latest of all`
  },
})

export const outputFailed = defineFault('output_failed', 'unavailable', {
  when: 'Standard output could not be written, for example because the disk is full.',
  message: (d: { reason: string }) => `the output could not be written: ${d.reason}`,
})

export const flagsConflict = defineFault('flags_conflict', 'usage', {
  when: 'Two flags cannot be used together.',
  message: (d: { flags: readonly [string, string]; instead?: string }) =>
    `${d.flags.join(' and ')} cannot be used together; ${d.instead ?? 'leave one of them out'}`,
})

export const flagRequired = defineFault('flag_required', 'usage', {
  when: 'A flag has no effect without another flag.',
  message: (d: { flag: string; required: string }) => `${d.flag} needs ${d.required}; add it`,
})

export const worktreeNotFound = defineFault('worktree_not_found', 'not_found', {
  when: 'No worktree created by drover has this name, or more than one name begins with it. Nothing was removed.',
  message: (d: { given: string; candidates: readonly string[] }) =>
    d.candidates.length === 0
      ? `no worktree ${JSON.stringify(d.given)} (run "drover worktrees" to see the names)`
      : `several worktrees begin with ${JSON.stringify(d.given)}: ${d.candidates.join(', ')}; give more characters`,
})

/** The ids of runs have hyphens, those of sessions do not. */
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const sessionNotNamed = defineFault('session_not_named', 'usage', {
  when: 'No session to resume was given, or the argument is not a session id.',
  message: ({ given }: { given: string | undefined }) => {
    const problem =
      given === undefined ? 'no session to resume was given' : `${JSON.stringify(given)} is not a session id`
    const run =
      given !== undefined && RUN_ID.test(given) ? `; to resume a run, use "drover protocol resume ${given}"` : ''
    return `${problem}; give an id (see "drover sessions list"), or --last for the latest session${run}`
  },
})

export const exportExists = defineFault('export_exists', 'conflict', {
  when: 'The export file exists and `--force` was not given. The file was not changed.',
  message: (d: { path: string }) => `${d.path} already exists; choose another name, or replace it with --force`,
})

export const cleaningRefused = defineFault('cleaning_refused', 'usage', {
  when: 'Cleaning up would delete all sessions without confirmation, or no age is set. Nothing was deleted.',
  message: (d: { reason: 'unconfirmed' | 'kept_for_ever' | 'age_zero' }) => {
    if (d.reason === 'unconfirmed')
      return '--all deletes every session; confirm with --yes, or use --dry-run to see what would be deleted'
    const problem =
      d.reason === 'age_zero'
        ? '--older-than 0 would delete every session'
        : 'session.retention_days is 0, so sessions are never deleted by age'
    return `${problem}; give an age, as in --older-than 30d, or delete all with --all --yes`
  },
})

export const tasksMissing = defineFault('tasks_missing', 'usage', {
  when: 'The file for `drover parallel` or `drover chain` is missing, or has no tasks or steps.',
  message: (d: { noun: 'tasks' | 'steps'; source: string | undefined }) => {
    const problem = d.noun === 'tasks' ? 'no tasks provided' : 'no steps defined'
    return d.source === undefined
      ? `${problem}; give a file with --file FILE, or on standard input`
      : `${problem}: ${d.source} contains none`
  },
})

/** `line` is missing if the problem has no single position. */
export type TaskProblem = { path: string; rule: string; line?: number; column?: number }

const SHOWN_TASK_PROBLEMS = 20

export const taskFileInvalid = defineFault('task_file_invalid', 'usage', {
  when: 'A file of tasks or steps is not valid. Nothing was started; the details list every problem with its position.',
  message: (d: { source: string; problems: readonly TaskProblem[] }) => {
    const lines = d.problems.slice(0, SHOWN_TASK_PROBLEMS).map(({ path, rule, line, column }) => {
      const where = line === undefined ? '' : `:${line}:${column}`
      return `${d.source}${where}: ${path === '' ? '' : `${path} `}${rule}`
    })
    const more = d.problems.length - lines.length
    if (more > 0) lines.push(`and ${more} more`)
    return `nothing was started:${lines.length === 1 ? ' ' : '\n'}${lines.join('\n')}`
  },
})

export const taskFileUnreadable = defineFault('task_file_unreadable', 'usage', {
  when: 'A file of tasks or steps is missing, not a regular file, too large, unreadable or not UTF-8. Nothing was started.',
  message: (d: { problem: string }) => `nothing was started: ${d.problem}`,
})

export const resultsExist = defineFault('results_exist', 'usage', {
  when: 'The output directory contains results and `--force` was not given. Nothing was started.',
  message: (d: { directory: string; count: number }) =>
    `${d.directory} already contains ${d.count} result ${d.count === 1 ? 'file' : 'files'}; choose another directory, or replace them with --force`,
})

export const resultsRefused = defineFault('results_refused', 'usage', {
  when: 'The output directory cannot be created, is not a directory or is not writable. Nothing was started.',
  message: (d: { directory: string; problem: string }) =>
    `results cannot be written to ${d.directory}: ${d.problem}; choose another directory`,
})

export const tooFewBackends = defineFault('no_backend_left', 'unavailable', {
  when: 'None of the agents to compare is available, or only one is available and it was not named explicitly.',
  message: (d: { available: readonly string[]; install: readonly string[] }) => {
    const [only] = d.available
    const problem =
      only === undefined ? 'no agent is available' : `only ${only} is available, which leaves nothing to compare`
    const alone = only === undefined ? '' : `run it alone with --backends ${only}, `
    const install = d.install.length === 0 ? '' : `install one (${d.install.join(', or ')}), `
    return `${problem}; ${install}${alone}try --demo, or see "drover backends"`
  },
})

export const backendsNotNamed = defineFault('backends_not_named', 'usage', {
  when: 'The list of agents to compare is empty.',
  message: () =>
    'specify backends, as in --backends claude,codex; without --backends, all installed agents are compared',
})

export const chatInputMissing = defineFault('chat_input_missing', 'usage', {
  when: 'The standard input of `drover chat` is not a terminal, a pipe or a file.',
  message: () =>
    'drover chat reads from a terminal or from piped input, and has neither; for one prompt use drover prompt',
})

export const chatInputUnfinished = defineFault('chat_input_unfinished', 'usage', {
  when: 'The piped input of `drover chat` ends in the middle of a message. The message was not sent.',
  message: (d: { isBlock: boolean }) => {
    const missing = d.isBlock
      ? 'a line with """ that ends the message'
      : 'the line after the one that ends with a backslash'
    return `the input ends in the middle of a message, which was not sent; add ${missing}`
  },
})

export const chatCommandUnknown = defineFault('chat_command_unknown', 'usage', {
  when: 'There is no such command inside `drover chat`. Nothing was sent to the agent.',
  message: (d: { name: string; nearest: string | undefined }) =>
    `no command /${d.name}${d.nearest === undefined ? '' : ` (did you mean /${d.nearest}?)`}; /help lists the commands, and //${d.name} sends the text to the agent`,
})

export const chatCommandInvalid = defineFault('chat_command_invalid', 'usage', {
  when: 'A command inside `drover chat` is missing its argument, or was given one it does not accept.',
  message: (d: { problem: string }) => d.problem,
})

/** What each command does with the store, and the option that names it. */
const STORE_USES = {
  'drover work': ['takes prompts from a PostgreSQL store', 'give --store postgres://USER@HOST/DATABASE, or set'],
  'drover serve --no-work': [
    'puts prompts into a PostgreSQL store',
    'give --store postgres://USER@HOST/DATABASE, or set',
  ],
  'drover machines': ['shows the machines that share a PostgreSQL store', 'set'],
  'drover store migrate': [
    'changes the tables of a PostgreSQL store (the SQLite file is migrated when it is opened)',
    'set',
  ],
} as const

export const storeNotShared = defineFault('store_not_shared', 'usage', {
  when: 'The commands `drover work`, `drover serve --no-work`, `drover machines` and `drover store migrate` need a PostgreSQL store, but `store.url` does not name one.',
  message: (d: { command: keyof typeof STORE_USES }) => {
    const [use, way] = STORE_USES[d.command]
    return `${d.command} ${use}; ${way} store.url or DROVER_STORE_URL`
  },
})

export const discardNotConfirmed = defineFault('discard_not_confirmed', 'usage', {
  when: 'The command `drover discard` has no terminal to ask on, and was not given `--yes`. Nothing was changed.',
  message: (d: { run_id: string }) =>
    `the work of ${d.run_id} would be discarded, and no one can be asked; look at it with "drover report ${d.run_id}", then run "drover discard ${d.run_id} --yes"`,
})

export const targetNotFound = defineFault('target_not_found', 'usage', {
  when: 'The setting `notify.targets` has no target of this name.',
  message: (d: { target: string; targets: readonly string[] }) =>
    `there is no target ${d.target}: ${d.targets.length === 0 ? 'notify.targets is empty' : `use ${d.targets.join(', ')}`}`,
})

export const targetNotAccepting = defineFault('target_not_accepting', 'unavailable', {
  when: 'A target of notifications did not accept one.',
  message: (d: { target: string; problem: string }) =>
    `${d.target} did not accept a notification: ${d.problem}; check its settings in notify.targets`,
})

export const setupNotFound = defineFault('setup_not_found', 'usage', {
  when: 'The repository has no lock file or manifest of a known package manager.',
  message: (d: { root: string }) =>
    `${d.root} has no lock file or manifest of a known package manager; give --setup and --check yourself`,
})

export const projectFileMissing = defineFault('project_file_missing', 'usage', {
  when: 'The repository has no `.drover.yml`.',
  message: (d: { root: string }) =>
    `${d.root} has no .drover.yml; use "drover init" to configure its worktrees without one`,
})
