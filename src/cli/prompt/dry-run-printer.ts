import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { toShown } from '../output/printable.ts'
import { shortenSessionId } from '../sessions/session-text.ts'
import type { Terminal } from '../terminal.ts'
import { type PromptPrinter, printProblems, withNewline } from './prompt-printer.ts'

/** Prints the command to stdout, and its directory and session to stderr. */
export function createDryRunPrinter(terminal: Terminal, resumes: Session | undefined): PromptPrinter {
  const { out, err } = terminal
  return {
    event: async (event) => {
      if (event.type === 'init') await err.write(`${describeDryRun(event.content.working_dir, resumes)}\n`)
      return 'written'
    },
    end: async (result) => {
      await out.write(withNewline(toShown(result.output, out)))
      await printProblems(terminal, result)
    },
  }
}

function describeDryRun(workdir: string | undefined, resumes: Session | undefined): string {
  const action = resumes === undefined ? 'run' : `resume session ${shortenSessionId(resumes)} (${resumes.backend})`
  return `Would ${action} in ${workdir}`
}

/** Adds the session id to the JSON of a dry run, which opens no session and so reports none. */
export function withSessionId(printer: PromptPrinter, { id }: Session): PromptPrinter {
  return {
    event: (event: PromptEvent) => printer.event({ ...event, session_id: id }),
    end: (result) => printer.end({ ...result, session_id: id }),
  }
}
