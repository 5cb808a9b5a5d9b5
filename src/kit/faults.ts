import { defineFault } from './fault.ts'

export const messageInvalid = defineFault({
  code: 'message_invalid',
  kind: 'invalid',
  when: 'A message, request or record breaks a rule of its shape; the details list each place and what is allowed there.',
  say: (d: { message: string; problems: readonly { path: string; rule: string }[] }) =>
    `${d.message} is not valid: ${d.problems.map((p) => `${p.path} ${p.rule}`).join('; ')}`,
})

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

export const jsonInvalid = defineFault({
  code: 'json_invalid',
  kind: 'invalid',
  when: 'A JSON input breaks a rule of strict JSON; the details give the reason and, inside the text, the place.',
  say: (d: { input: string; reason: JsonReason; problem: string; place?: JsonPlace }) => {
    const where = d.place && ` at ${d.place.location} (line ${d.place.line}, column ${d.place.column})`
    return `${d.input} is not usable JSON${where ?? ''}: ${d.problem}`
  },
})

export const fileMissing = defineFault({
  code: 'file_missing',
  kind: 'not_found',
  when: 'A file to be read does not exist.',
  say: (d: { path: string }) => `${d.path} does not exist; check the path`,
})

export const fileUnreadable = defineFault({
  code: 'file_unreadable',
  kind: 'unavailable',
  when: 'The system refuses to read a file, for want of permission for instance.',
  say: (d: { path: string; reason: string }) => `${d.path} cannot be read: ${d.reason}; mend that and try again`,
})

export const fileNotRegular = defineFault({
  code: 'file_not_regular',
  kind: 'invalid',
  when: 'A path that must be a regular file is a symbolic link, directory, named pipe, socket or device.',
  say: (d: { path: string; kind: string }) => `${d.path} is a ${d.kind}; name a regular file`,
})

export const fileTooLarge = defineFault({
  code: 'file_too_large',
  kind: 'too_large',
  when: 'A file to be read has more bytes than its use allows.',
  say: (d: { path: string; sizeBytes: number; limitBytes: number }) =>
    `${d.path} has ${d.sizeBytes} bytes; at most ${d.limitBytes} are allowed, so shorten it`,
})

export const fileChanged = defineFault({
  code: 'file_changed',
  kind: 'conflict',
  when: 'A file was written to, replaced or removed while it was being read.',
  say: (d: { path: string }) => `${d.path} changed while it was being read; try again when nothing writes to it`,
})

export const textNotUtf8 = defineFault({
  code: 'text_not_utf8',
  kind: 'invalid',
  when: 'A file or standard input that must be text is not valid UTF-8.',
  say: (d: { source: string }) => `${d.source} is not UTF-8 text; save it in that encoding`,
})

export const fileExists = defineFault({
  code: 'file_exists',
  kind: 'conflict',
  when: 'A file that may only be created, never replaced, is there already.',
  say: (d: { path: string }) => `${d.path} exists already and was left as it is; move it away or choose another name`,
})

export const fileWriteFailed = defineFault({
  code: 'file_write_failed',
  kind: 'unavailable',
  when: 'A file could not be written; `commitment` tells whether the new content may be in place (`ambiguous`) or is not.',
  say: (d: { path: string; commitment: 'not_committed' | 'ambiguous'; reason: string }) =>
    d.commitment === 'not_committed'
      ? `${d.path} could not be written and is as it was: ${d.reason}; mend that and try again`
      : `${d.path} may have its new content, but a power failure could undo that: ${d.reason}; check the file`,
})

export const directoryUnusable = defineFault({
  code: 'directory_unusable',
  kind: 'unavailable',
  when: 'A directory that must be private to this user cannot be made, or is something else or somebody else’s.',
  say: (d: { path: string; problem: string; isOccupied: boolean }) =>
    `${d.path} cannot be used as a private directory: ${d.problem}; ${d.isOccupied ? 'move it away or choose another' : 'mend that or choose another place'}`,
})

export const lockBusy = defineFault({
  code: 'lock_busy',
  kind: 'unavailable',
  when: 'Another process, or another part of this one, kept a lock for longer than was to be waited.',
  say: (d: { path: string; waitMs: number }) =>
    `${d.path} is locked by somebody else and stayed so for ${d.waitMs} ms; try again when they are done`,
})

export const lockMissing = defineFault({
  code: 'lock_missing',
  kind: 'not_found',
  when: 'A shared lock is wanted on a lock file that does not exist; only an exclusive lock creates it.',
  say: (d: { path: string }) => `the lock file ${d.path} does not exist; nothing has been written beside it yet`,
})

export const lockFileInvalid = defineFault({
  code: 'lock_file_invalid',
  kind: 'conflict',
  when: 'What is at the path of a lock file is not an empty regular file, so it is not a lock file.',
  say: (d: { path: string; problem: string }) =>
    `${d.path} is not a lock file: ${d.problem}; move it away if it is not needed`,
})

export const lockUnavailable = defineFault({
  code: 'lock_unavailable',
  kind: 'unavailable',
  when: 'The system refuses to create, open or lock a lock file.',
  say: (d: { path: string; reason: string }) => `${d.path} cannot be locked: ${d.reason}; mend that and try again`,
})

export const programNotFound = defineFault({
  code: 'program_not_found',
  kind: 'unavailable',
  when: 'A program that drover needs is not installed, or is not in the PATH that drover was given.',
  say: (d: { program: string }) =>
    `the program ${d.program}, or the interpreter its first line names, was not found; install it or correct PATH`,
})

export const programNotExecutable = defineFault({
  code: 'program_not_executable',
  kind: 'unavailable',
  when: 'A program was found, but the system does not permit to run it.',
  say: (d: { program: string }) => `${d.program} may not be executed; check that it is a program and its permissions`,
})

export const programDirectoryMissing = defineFault({
  code: 'program_directory_missing',
  kind: 'unavailable',
  when: 'The directory in which a program is to run does not exist, is not a directory or may not be entered.',
  say: (d: { program: string; cwd: string }) =>
    `${d.program} cannot run in ${d.cwd}, which is not a directory that can be entered; create it or choose another`,
})

export const programArgumentInvalid = defineFault({
  code: 'program_argument_invalid',
  kind: 'invalid',
  when: 'A program name, argument, directory or variable holds what no system can hand to a program.',
  say: (d: { program: string; place: string; problem: string }) =>
    `${JSON.stringify(d.program)} was not started because ${d.place} ${d.problem}; remove or correct it`,
})

export const programArgumentsTooLong = defineFault({
  code: 'program_arguments_too_long',
  kind: 'too_large',
  when: 'The arguments or the environment of a program exceed what the system hands to one: on Linux 128 KiB for each, and 2 MiB for all unless the stack is limited otherwise.',
  say: (d: { program: string }) =>
    `the arguments or environment for ${d.program} are longer than the system allows; shorten them`,
})

export const programNotStarted = defineFault({
  code: 'program_not_started',
  kind: 'unavailable',
  when: 'The system refused to start a program for a reason of its own, for example too many open files or processes.',
  say: (d: { program: string; reason: string }) =>
    `${d.program} could not be started (${d.reason}); check that it is made for this system, and that the system has processes, files and memory to spare`,
})

export const programOutputTooLarge = defineFault({
  code: 'program_output_too_large',
  kind: 'too_large',
  when: 'A program printed more than its caller reads; it was ended.',
  say: (d: { program: string; limitBytes: number }) =>
    `${d.program} was ended because it printed more than ${d.limitBytes} bytes; ask it for less`,
})
