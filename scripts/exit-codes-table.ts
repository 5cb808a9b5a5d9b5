/** The exit codes of all commands, for docs/cli.md and the manual page. The numbers are those of the code. */
import { EXIT_CANCELLED, EXIT_TIMEOUT } from '../src/agents/adapter/exit-codes.ts'
import { EXIT, toExitCode } from '../src/cli/exit-status.ts'
import { exitCodeOfSignal } from '../src/cli/interruption.ts'

const ROWS: readonly (readonly [number, string])[] = [
  [EXIT.success, 'Success.'],
  [
    toExitCode('internal', 'Prompts'),
    'The command failed. If an agent fails, "drover prompt" and "drover resume" exit with the code of the agent instead.',
  ],
  [toExitCode('usage', undefined), 'Wrong use: the command line is invalid, and nothing was done.'],
  [
    toExitCode('internal', 'Changes'),
    'A command on changes or hosts failed, or a check of "drover drive" did. From these commands, 1 means that the error could not be written.',
  ],
  [EXIT.waits, '"drover drive" is waiting for a person, or a limit was reached.'],
  [EXIT_TIMEOUT, 'The agent timed out.'],
  [exitCodeOfSignal('SIGHUP'), 'The terminal was closed.'],
  [EXIT_CANCELLED, 'The command was interrupted with Ctrl-C.'],
  [EXIT.pipeClosed, 'The program that read the output has closed the pipe.'],
  [exitCodeOfSignal('SIGTERM'), 'The command was terminated. A server that stops in order exits with 0.'],
]

export const EXIT_CODES = ROWS.map(([code, meaning]): [string, string] => [String(code), meaning])
