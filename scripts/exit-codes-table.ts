/** The exit codes of all commands, for docs/cli.md and the manual page. The numbers are those of the code. */
import { EXIT_CANCELLED, EXIT_TIMEOUT } from '../src/agents/adapter/failure.ts'
import { EXIT, toExitCode } from '../src/cli/exit-status.ts'
import { exitCodeOfSignal } from '../src/cli/interruption.ts'

const ROWS: readonly (readonly [number, string])[] = [
  [EXIT.success, 'Success.'],
  [
    toExitCode('internal', 'Prompts'),
    `The command failed. If an agent fails, "drover prompt" and "drover resume" exit with the agent's exit code instead.`,
  ],
  [toExitCode('usage', undefined), 'Usage error: the command line is invalid, and nothing was done.'],
  [
    toExitCode('internal', 'Changes'),
    'A command in the Changes, Hosts or Programs group failed, "drover doctor" failed or found an error with --strict, or "drover drive" did not deliver the work: a check failed or was not run, or no agent did the work. If one of these commands exits with 1, the error message could not be written.',
  ],
  [EXIT.waits, '"drover drive" is waiting for a person, or a limit was reached.'],
  [EXIT.looksFirst, '"drover drive" delivered the work, but found something that a person should look at first.'],
  [EXIT_TIMEOUT, 'The agent timed out.'],
  [exitCodeOfSignal('SIGHUP'), 'The terminal was closed.'],
  [EXIT_CANCELLED, 'The command was interrupted with Ctrl-C.'],
  [EXIT.pipeClosed, 'The program that was reading the output closed the pipe.'],
  [exitCodeOfSignal('SIGTERM'), 'The command was terminated. A server that shuts down cleanly exits with 0.'],
]

export const EXIT_CODES = ROWS.map(([code, meaning]): [string, string] => [String(code), meaning])
