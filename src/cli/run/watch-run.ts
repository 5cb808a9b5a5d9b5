import type { RunOutline } from '../../runs/run-status.ts'
import type { Invocation } from '../command.ts'
import { LiveLines } from '../output/live-lines.ts'
import { toJsonLine } from './print-change.ts'
import { formatUpdate } from './run-text.ts'
import { formatRunView, viewLines } from './run-view.ts'

/** Prints a run after every change, until the run has ended or the reader has closed the pipe. */
export async function watchRun(
  { flags, runtime }: Invocation,
  updates: AsyncIterable<RunOutline>,
  name: string,
): Promise<number> {
  const { terminal, clock } = runtime
  if (terminal.out.canRedraw && !flags.isOn('json')) {
    return await redrawRun({ terminal, clock }, updates, { name, hasRoot: flags.text('root') !== undefined })
  }
  for await (const run of updates) {
    const written = await terminal.out.write(flags.isOn('json') ? toJsonLine(run) : formatUpdate(run))
    if (written === 'closed') break
  }
  return 0
}

/** The last version is printed in full, so that its commands can be copied. */
async function redrawRun(
  { terminal, clock }: Pick<Invocation['runtime'], 'terminal' | 'clock'>,
  updates: AsyncIterable<RunOutline>,
  shown: { name: string; hasRoot: boolean },
): Promise<number> {
  const live = new LiveLines(terminal.out)
  let last = ''
  for await (const run of updates) {
    const view = { ...shown, now: clock.now(), out: terminal.out }
    last = formatRunView(run, view)
    await live.draw(viewLines(run, { ...view, rows: terminal.out.rows - 1 }).slice(0, terminal.out.rows - 1))
  }
  await live.clear()
  await terminal.out.write(last)
  return 0
}
