/** Asks the person at the terminal what a driven run waits for, and records the answer. */
import { chooseSource } from '../../drive/start/revive-run.ts'
import { Fault } from '../../kit/fault.ts'
import { runInterrupted } from '../../runs/faults.ts'
import { answerQuestion, skipAction } from '../../runs/operations.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Runtime } from '../command.ts'
import { askPerson } from '../run/ask-person.ts'
import { matchesDigest } from '../run/confirmed-digest.ts'
import { describeWait } from '../run/run-waits.ts'

type Person = Pick<Runtime, 'stdin' | 'terminal'>
type Asked = { run: RunOutline; context: RunContext; ask: (question: string) => Promise<string> }

/** True if the run continues; false if the person leaves the question open, with an empty line, Ctrl-D or Ctrl-C. */
export async function askAboutRun(person: Person, run: RunOutline, context: RunContext): Promise<boolean> {
  const { err } = person.terminal
  await err.write(`\n${describeWait(run, err).join('\n')}\n`)
  const ask = (question: string) => askPerson(person, { question: err.style('bold', question), signal: context.signal })
  try {
    return await askFor({ run, context, ask })
  } catch (error) {
    if (error instanceof Fault && error.code === runInterrupted.code) return false
    throw error
  }
}

async function askFor(asked: Asked): Promise<boolean> {
  const { run, ask } = asked
  if (run.source_candidate !== undefined) return false
  switch (run.pause_reason) {
    case 'decision_required':
      return await answer(asked, await ask(`Answer (${SKIP} to skip, Enter to decide later): `))
    case 'destructive_confirmation_required':
      return await confirm(asked)
    case 'environment_unavailable':
      return await goOn(asked)
    case 'budget_exhausted':
      return await addActions(asked)
    default:
      return false
  }
}

const SKIP = '/skip'

async function answer({ run, context }: Asked, text: string): Promise<boolean> {
  const actionId = run.current_action?.action_id
  if (text === '' || actionId === undefined) return false
  if (text === SKIP) await skipAction(context, run.id, actionId)
  else await answerQuestion(context, run.id, { actionId, text, confirmDestructive: false })
  return true
}

/** The whole request was just shown. Anything but `y` or its digest permits nothing. */
async function confirm(asked: Asked): Promise<boolean> {
  const { run, context, ask } = asked
  const { pending_destructive_request: request, current_action } = run
  if (request === undefined || current_action === undefined) return false
  const text = await ask('Type y to allow exactly this, once. Any other text refuses it (empty: later): ')
  const isAllowed = text.toLowerCase() === 'y' || matchesDigest(text, request.scope_sha256)
  if (!isAllowed) return await answer(asked, text)
  const confirmed = { confirmDestructive: true, scopeSha256: request.scope_sha256 }
  await answerQuestion(context, run.id, { actionId: current_action.action_id, text: '', ...confirmed })
  return true
}

async function goOn({ run, context, ask }: Asked): Promise<boolean> {
  if ((await ask('Fix that, then type y to continue (empty: later): ')).toLowerCase() !== 'y') return false
  await resumeRun(context, run.id, chooseSource(run))
  return true
}

async function addActions({ run, context, ask }: Asked): Promise<boolean> {
  const budget = Number(await ask('How many more actions, 1 to 1000 (empty: later): '))
  if (!Number.isInteger(budget) || budget < 1 || budget > 1000) return false
  await resumeRun(context, run.id, { ...chooseSource(run), budget })
  return true
}
