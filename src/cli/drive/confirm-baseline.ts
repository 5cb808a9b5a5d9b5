/** Asks whether the work should begin although checks fail. */
import type { BaselineRun } from '../../drive/record/drive-state.ts'
import type { Runtime } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { askPerson } from '../run/ask-person.ts'

const SHOWN_LINES = 10

export async function confirmBaseline(
  runtime: Pick<Runtime, 'stdin' | 'terminal'>,
  failed: readonly BaselineRun[],
  signal: AbortSignal,
): Promise<boolean> {
  const lines = failed.flatMap(({ output }) => output.trimEnd().split('\n').slice(-SHOWN_LINES))
  await runtime.terminal.err.write(`${lines.map((line) => `  ${toPrintable(line)}`).join('\n')}\n`)
  const checks = failed.length === 1 ? 'This check fails' : 'These checks fail'
  const question = `${checks} before the work. Start anyway? [y/n] `
  return /^y(?:es)?$/i.test(await askPerson(runtime, { question, signal }))
}
