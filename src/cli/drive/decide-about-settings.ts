/** Asks once whether agents may use the settings of the project, before any agent works on the run. */
import { type ProjectTrust, readProjectSettings } from '../../drive/project-settings.ts'
import { findDecision, saveDecision } from '../../drive/record/settings-decisions.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { Fault } from '../../kit/fault.ts'
import { runInterrupted } from '../../runs/faults.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { askPerson, canAsk } from '../run/ask-person.ts'

const SHOWN = 20

/** Without an answer they are not used, and the next run asks again. */
export async function decideAboutSettings(
  { flags, runtime }: Invocation,
  context: RunContext,
  { use, decisions }: ProjectTrust,
): Promise<void> {
  if (use === 'never') return
  const { paths, digest } = await readProjectSettings(context)
  if (paths.length === 0 || (digest !== undefined && findDecision(decisions, digest) !== undefined)) return
  const { err } = runtime.terminal
  const note = async (reason: string) => {
    await err.write(`drover: note: agents do not use the settings of the project (${summary(paths)}): ${reason}\n`)
  }
  if (digest === undefined) return await note('there are links among them, or too many files')
  if (!canAsk(runtime) || flags.isOn('json')) return await note('on a terminal, "drover drive" asks about them')
  const answer = await ask({ paths, context, runtime })
  if (answer === '') return
  const decision = /^y(?:es)?$/i.test(answer) ? 'trusted' : 'refused'
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
    if (error instanceof Fault && error.code === runInterrupted.code) return ''
    throw error
  }
}
