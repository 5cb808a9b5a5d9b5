import { defineFault } from './fault.ts'

/** In a sentence; the details have more. */
const MAX_NAMED_PROBLEMS = 20

export const messageInvalid = defineFault('message_invalid', 'invalid', {
  when: 'A message, request or record breaks a rule of its shape; the details list each path and the rule it breaks.',
  message: (d: { message: string; problems: readonly { path: string; rule: string }[] }) => {
    const named = d.problems.slice(0, MAX_NAMED_PROBLEMS).map(({ path, rule }) => `${path} ${rule}`)
    const more = d.problems.length > MAX_NAMED_PROBLEMS ? '; and more' : ''
    return `${d.message} is not valid: ${named.join('; ')}${more}`
  },
})

export function requestInvalid(field: string, rule: string) {
  return messageInvalid({ message: 'the request', problems: [{ path: `$.${field}`, rule }] })
}

/** The rules of strict JSON, in the order in which they are checked; the first one broken is reported. */
export type JsonReason =
  | 'too_large'
  | 'not_utf8'
  | 'byte_order_mark'
  | 'empty'
  | 'syntax'
  | 'duplicate_key'
  | 'lone_surrogate'
  | 'too_deep'
  | 'number_out_of_range'
  | 'trailing_content'
  | 'not_an_integer'

/** Lines and columns count from 1, columns in characters. */
export type JsonPlace = { location: string; line: number; column: number }

export const jsonInvalid = defineFault('json_invalid', 'invalid', {
  when: 'A JSON input breaks a rule of strict JSON; the details give the reason and, for an error inside the text, its position.',
  message: (d: { input: string; reason: JsonReason; problem: string; place?: JsonPlace }) => {
    const where = d.place && ` at ${d.place.location} (line ${d.place.line}, column ${d.place.column})`
    return `${d.input} is not usable JSON${where ?? ''}: ${d.problem}`
  },
})

export const referenceUnresolved = defineFault('reference_unresolved', 'unavailable', {
  when: 'A setting refers to a secret in a variable or in a file, and that is missing or empty.',
  message: (d: { place: string; reference: string }) =>
    `${d.place} needs ${d.reference}, which is missing or empty; set the variable where drover is started, or write the file`,
})

export const fileMissing = defineFault('file_missing', 'not_found', {
  when: 'A file that drover needs to read does not exist.',
  message: (d: { path: string }) => `${d.path} does not exist; check the path`,
})

export const fileUnreadable = defineFault('file_unreadable', 'unavailable', {
  when: 'The system refuses to read a file, for example because of its permissions.',
  message: (d: { path: string; reason: string }) => `${d.path} cannot be read: ${d.reason}; fix that and try again`,
})

export const fileNotRegular = defineFault('file_not_regular', 'invalid', {
  when: 'A path that must be a regular file is a symbolic link, directory, named pipe, socket or device.',
  message: (d: { path: string; kind: string }) =>
    `${d.path} is a ${d.kind}, not a regular file; give the path of a file`,
})

export const fileTooLarge = defineFault('file_too_large', 'too_large', {
  when: 'A file that drover reads is larger than its size limit.',
  message: (d: { path: string; sizeBytes: number; limitBytes: number }) =>
    `${d.path} has ${d.sizeBytes} bytes; the limit is ${d.limitBytes}`,
})

export const fileChanged = defineFault('file_changed', 'conflict', {
  when: 'A file was changed, replaced or removed while drover was reading it.',
  message: (d: { path: string }) =>
    `${d.path} changed while drover was reading it; try again when no process is writing to it`,
})

export const textNotUtf8 = defineFault('text_not_utf8', 'invalid', {
  when: 'A file or standard input that must be text is not valid UTF-8.',
  message: (d: { source: string }) => `${d.source} is not UTF-8 text; save it as UTF-8`,
})

export const fileExists = defineFault('file_exists', 'conflict', {
  when: 'A file that may be created but not replaced already exists.',
  message: (d: { path: string }) => `${d.path} already exists and was not changed; move it away or choose another name`,
})

export const fileWriteFailed = defineFault('file_write_failed', 'unavailable', {
  when: 'A file could not be written. The field `commitment` says whether the new content may be in the file (`ambiguous`) or is not (`not_committed`).',
  message: (d: { path: string; commitment: 'not_committed' | 'ambiguous'; reason: string }) =>
    d.commitment === 'not_committed'
      ? `${d.path} could not be written and is unchanged: ${d.reason}; fix that and try again`
      : `${d.path} may have its new content, but a power failure could lose it: ${d.reason}; check the file`,
})

export const directoryUnusable = defineFault('directory_unusable', 'unavailable', {
  when: 'A private directory cannot be created, is not a directory, or belongs to another user.',
  message: (d: { path: string; problem: string; isOccupied: boolean }) =>
    `${d.path} cannot be used as a private directory: ${d.problem}; ${d.isOccupied ? 'move it away or choose another directory' : 'fix that or choose another directory'}`,
})

export const lockBusy = defineFault('lock_busy', 'unavailable', {
  when: 'Another process, or another part of this one, held a lock for longer than drover waits.',
  message: (d: { path: string; waitMs: number }) =>
    `${d.path} is locked by another process, and drover waited ${d.waitMs} ms for it; try again later`,
})

export const lockMissing = defineFault('lock_missing', 'not_found', {
  when: 'A shared lock was requested, but its lock file does not exist; only an exclusive lock creates it.',
  message: (d: { path: string }) =>
    `the lock file ${d.path} does not exist, so the files it protects were never written`,
})

export const lockFileInvalid = defineFault('lock_file_invalid', 'conflict', {
  when: 'The path of a lock file is not an empty regular file.',
  message: (d: { path: string; problem: string }) =>
    `${d.path} is not a lock file: ${d.problem}; move it away if you do not need it`,
})

export const lockUnavailable = defineFault('lock_unavailable', 'unavailable', {
  when: 'The system refuses to create, open or lock a lock file.',
  message: (d: { path: string; reason: string }) => `${d.path} cannot be locked: ${d.reason}; fix that and try again`,
})

export const programNotFound = defineFault('program_not_found', 'unavailable', {
  when: 'A program that drover needs is not installed, or not in `PATH`.',
  message: (d: { program: string }) =>
    `program not found: ${d.program}, or the interpreter in its first line; install it or correct PATH`,
})

export const programNotExecutable = defineFault('program_not_executable', 'unavailable', {
  when: 'A program was found, but the system does not allow drover to run it.',
  message: (d: { program: string }) => `${d.program} is not executable; check its permissions and that it is a program`,
})

export const programDirectoryMissing = defineFault('program_directory_missing', 'unavailable', {
  when: 'The working directory of a program does not exist, is not a directory or cannot be entered.',
  message: (d: { program: string; cwd: string }) =>
    `${d.program} cannot run in ${d.cwd}: it is not a directory, or it cannot be entered; create it or choose another`,
})

export const programArgumentInvalid = defineFault('program_argument_invalid', 'invalid', {
  when: 'A program name, argument, directory or variable contains something that cannot be passed to a program.',
  message: (d: { program: string; place: string; problem: string }) =>
    `${JSON.stringify(d.program)} was not started because ${d.place} ${d.problem}; remove or correct it`,
})

export const programArgumentsTooLong = defineFault('program_arguments_too_long', 'too_large', {
  when: 'The arguments or the environment of a program exceed the system limit: on Linux 128 KiB for each, and 2 MiB for all together unless the stack size is limited.',
  message: (d: { program: string }) =>
    `the arguments or environment for ${d.program} are longer than the system allows; shorten them`,
})

export const programNotStarted = defineFault('program_not_started', 'unavailable', {
  when: 'The system refused to start a program, for example because too many files or processes are open.',
  message: (d: { program: string; reason: string }) =>
    `${d.program} could not be started (${d.reason}); check that it is built for this system, and that processes, open files and memory are not exhausted`,
})

export const programOutputTooLarge = defineFault('program_output_too_large', 'too_large', {
  when: 'A program printed more than drover reads, so drover stopped it.',
  message: (d: { program: string; limitBytes: number }) =>
    `${d.program} was stopped because it printed more than ${d.limitBytes} bytes; request less output`,
})

export const checkCommandInvalid = defineFault('check_command_invalid', 'usage', {
  when: 'A check is not a command that can be run without a shell.',
  message: (d: { command: string; problem: string }) =>
    `the check ${JSON.stringify(d.command)} cannot be run: ${d.problem}; for a shell, write sh -c '…'`,
})
