/** Asks the person at the terminal what a driven run waits for, and records the answer. */
import { answerQuestion } from '../../runs/operations.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { RunOutline } from '../../runs/run-status.ts'
import type { Runtime } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { type Ask, withQuestions } from '../prompt/ask-user.ts'
import { describeWait } from './wait-text.ts'

type Person = Pick<Runtime, 'stdin' | 'terminal'>

/** True if the run goes on; false if the person leaves the question open. */
export async function askPerson(person: Person, run: RunOutline, context: RunContext): Promise<boolean> {
  await person.terminal.err.write(`\n${toPrintable(describeWait(run).join('\n'))}\n`)
  return await withQuestions(person, async (ask) => {
    switch (run.pause_reason) {
      case 'decision_required':
        return run.source_candidate === undefined && (await answer(ask, run, context))
      case 'destructive_confirmation_required':
        return await confirm(ask, run, context)
      case 'environment_unavailable':
        return await goOn(ask, run, context)
      case 'budget_exhausted':
        return await addActions(ask, run, context)
      default:
        return false
    }
  })
}

async function answer(ask: Ask, run: RunOutline, context: RunContext): Promise<boolean> {
  const text = await ask('Answer (empty: later): ')
  return await submit(text, run, context)
}

async function submit(
  text: string | undefined,
  { id, current_action }: RunOutline,
  context: RunContext,
): Promise<boolean> {
  if (text === undefined || text === '' || current_action === undefined) return false
  await answerQuestion(context, id, { actionId: current_action.action_id, text, confirmDestructive: false })
  return true
}

/** The whole request was just shown. Anything but `y` or its digest permits nothing. */
async function confirm(ask: Ask, run: RunOutline, context: RunContext): Promise<boolean> {
  const { pending_destructive_request: request, current_action, id } = run
  if (request === undefined || current_action === undefined) return false
  const text = await ask('Permit exactly this? y, or what to do instead (empty: later): ')
  if (text !== 'y' && text !== request.scope_sha256) return await submit(text, run, context)
  const confirmed = { confirmDestructive: true, scopeSha256: request.scope_sha256 }
  await answerQuestion(context, id, { actionId: current_action.action_id, text: '', ...confirmed })
  return true
}

async function goOn(ask: Ask, run: RunOutline, context: RunContext): Promise<boolean> {
  const text = await ask('Fix that, then type y to go on (empty: later): ')
  if (text !== 'y') return false
  await resumeRun(context, run.id, sourceChoiceOf(run))
  return true
}

async function addActions(ask: Ask, run: RunOutline, context: RunContext): Promise<boolean> {
  const text = await ask('How many more actions (empty: later): ')
  const budget = Number(text)
  if (!Number.isInteger(budget) || budget < 1 || budget > 1000) return false
  await resumeRun(context, run.id, { ...sourceChoiceOf(run), budget })
  return true
}

/** A run with an issue goes on with the pinned requirements: to look at the issue again needs an explicit choice. */
export function sourceChoiceOf({ pinned_source }: Pick<RunOutline, 'pinned_source'>): { usePinnedSource?: boolean } {
  return pinned_source === undefined ? {} : { usePinnedSource: true }
}
