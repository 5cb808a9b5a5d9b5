/** Asks the person at the terminal what a driven run waits for, and records the answer. */
import { describeLimit, type Limit, type LimitChoice } from '../../drive/decide/after-limit.ts'
import { issueNotConfirmed } from '../../drive/faults.ts'
import { findDecision, type ProjectTrust, readProjectSettings, saveDecision } from '../../drive/project-settings.ts'
import type { BaselineRun } from '../../drive/record/drive-state.ts'
import { chooseSource } from '../../drive/start/start-drive.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { isFault } from '../../kit/fault.ts'
import { toRevealed } from '../../kit/printable-text.ts'
import { runInterrupted } from '../../runs/faults.ts'
import { answerQuestion, skipAction } from '../../runs/operations.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation, Runtime } from '../command.ts'
import { timesFor } from '../output/format-amounts.ts'
import { toPrintable } from '../output/printable.ts'
import { tableWidth } from '../output/text-table.ts'
import { quoteWithBar } from '../output/wrap-words.ts'
import { askPerson, canAsk, isYes, matchesDigest } from '../run/ask-person.ts'
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
    if (isFault(error, runInterrupted)) return false
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

/** The answer counts for the whole run. Any other answer pauses it, which costs nothing. */
export async function askAboutLimit(
  runtime: Pick<Runtime, 'stdin' | 'terminal' | 'clock'>,
  { limit, next }: { readonly limit: Limit; readonly next: string | undefined },
  signal: AbortSignal,
): Promise<LimitChoice> {
  const { err } = runtime.terminal
  const times = timesFor(err, () => runtime.clock.now())
  await err.write(`${toPrintable(times(describeLimit(limit)))}\n`)
  const choices = [
    ...(limit.until === undefined ? [] : ['wait (w)']),
    ...(next === undefined ? [] : [`continue with ${next} (n)`]),
    'pause (p)',
  ]
  const answer = await askPerson(runtime, { question: `What now: ${choices.join(', ')}? `, signal })
  if (/^w(?:ait)?$/i.test(answer) && limit.until !== undefined) return 'wait'
  return /^n(?:ext)?$/i.test(answer) && next !== undefined ? 'next' : 'pause'
}

/** Asks whether the work should begin although checks fail. What they printed was just shown. */
export async function confirmBaseline(
  runtime: Pick<Runtime, 'stdin' | 'terminal'>,
  failed: readonly BaselineRun[],
  signal: AbortSignal,
): Promise<boolean> {
  const checks = failed.length === 1 ? 'This check fails' : 'These checks fail'
  const question = `${checks} before the work. Start anyway? [y/n] `
  return isYes(await askPerson(runtime, { question, signal }))
}

type OfferedGoal = { url: string; goal: string; signal: AbortSignal }

/** Shows the whole text. Throws `issue_not_confirmed` unless a person agrees, or `--as-goal` does. */
export async function confirmGoal({ flags, runtime }: Invocation, { url, goal, signal }: OfferedGoal): Promise<void> {
  if (flags.isOn('as-goal')) return
  if (!canAsk(runtime)) throw issueNotConfirmed({ url })
  const { err } = runtime.terminal
  const shown = quoteWithBar(toRevealed(goal.replaceAll('\r\n', '\n')), tableWidth(err))
  await err.write(`${url} is an ordinary issue. Its title and text would be the goal:\n\n${shown.join('\n')}\n\n`)
  const answer = await askPerson(runtime, { question: 'Use this text as the goal? [y/N] ', signal })
  if (!isYes(answer)) throw issueNotConfirmed({ url })
}

const SHOWN = 20

/** Without an answer they are not used, and the next run asks again. */
export async function decideAboutSettings(
  { runtime }: Invocation,
  context: RunContext,
  { use, decisions, mayAsk }: ProjectTrust & { mayAsk: boolean },
): Promise<void> {
  if (use === 'never') return
  const { paths, digest } = await readProjectSettings(context)
  if (paths.length === 0 || (digest !== undefined && findDecision(decisions, digest) !== undefined)) return
  const { err } = runtime.terminal
  const note = async (reason: string) => {
    await err.write(`drover: note: agents do not use the settings of the project (${summary(paths)}): ${reason}\n`)
  }
  if (digest === undefined) return await note('there are links among them, or too many files')
  if (!mayAsk) return await note('"drover drive GOAL" asks about them on a terminal')
  const answer = await ask({ paths, context, runtime })
  if (answer === '') return
  const decision = isYes(answer) ? 'trusted' : 'refused'
  const { git_common_dir: repository } = context.workspace
  const decided_at = toTimestamp(runtime.clock.now())
  saveDecision(decisions, { version: 1, digest, decision, repository, paths: [...paths], decided_at })
}

function summary([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? toPrintable(first) : `${toPrintable(first)} and ${others.length} more`
}

type Question = { paths: readonly string[]; context: RunContext; runtime: Invocation['runtime'] }

async function ask({ paths, context: { signal }, runtime }: Question): Promise<string> {
  const more = paths.length - SHOWN
  const lines = [
    'The project has settings for agents:',
    ...paths.slice(0, SHOWN).map((path) => `  ${toPrintable(path)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    'They can run commands with your rights, outside of any sandbox, and files that agents have changed.',
  ]
  await runtime.terminal.err.write(`${lines.join('\n')}\n`)
  const question = 'Use them in driven runs, as long as they stay as they are? [y/n, empty: later] '
  try {
    return await askPerson(runtime, { question, signal })
  } catch (error) {
    if (isFault(error, runInterrupted)) return ''
    throw error
  }
}
