import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { toShown } from '../output/printable.ts'
import { shortIdOf } from '../sessions/session-text.ts'
import type { Terminal } from '../terminal.ts'
import { type PromptPrinter, tellTrouble, withNewline } from './prompt-printer.ts'

/** The command that would be started; where, and in which session, is said on stderr. */
export function createDryRunPrinter(terminal: Terminal, resumes: Session | undefined): PromptPrinter {
  const { out, err } = terminal
  return {
    event: async (event) => {
      if (event.type === 'init') await err.write(`${sayPlace(event.content.working_dir, resumes)}\n`)
      return 'written'
    },
    end: async (result) => {
      await out.write(withNewline(toShown(result.output, out)))
      await tellTrouble(terminal, result)
    },
  }
}

function sayPlace(workdir: string | undefined, resumes: Session | undefined): string {
  const what = resumes === undefined ? 'run' : `resume session ${shortIdOf(resumes)} (${resumes.backend})`
  return `Would ${what} in ${workdir}`
}

/** A dry run goes on with no session, so its events and its result name none; whoever reads JSON wants to know which. */
export function namingSession(printer: PromptPrinter, { id }: Session): PromptPrinter {
  return {
    event: (event: PromptEvent) => printer.event({ ...event, session_id: id }),
    end: (result) => printer.end({ ...result, session_id: id }),
  }
}
