import type { RunOutline } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { LiveLines } from '../output/live-lines.ts'
import { tryVerdict, withVerdict } from './driven-verdict.ts'
import { toJsonLine } from './print-change.ts'
import { formatRunView, formatUpdate, viewLines } from './run-view.ts'
import { readViewOptions } from './view-options.ts'

/** Prints a run after every change, until the run has ended or the reader has closed the pipe. */
export async function watchRun(
  invocation: Invocation,
  updates: AsyncIterable<RunOutline>,
  context: RunContext,
): Promise<number> {
  const { flags, runtime } = invocation
  const { terminal } = runtime
  if (terminal.out.canRedraw && !flags.isOn('json')) return await redrawRun(invocation, updates, context)
  for await (const run of updates) {
    const verdict = await tryVerdict(context, run)
    const shown = flags.isOn('json') ? toJsonLine(withVerdict(run, verdict)) : formatUpdate(run, verdict)
    const written = await terminal.out.write(shown)
    if (written === 'closed') break
  }
  return 0
}

/** The last version is printed in full, so that its commands can be copied. */
async function redrawRun(
  invocation: Invocation,
  updates: AsyncIterable<RunOutline>,
  context: RunContext,
): Promise<number> {
  const { out } = invocation.runtime.terminal
  const live = new LiveLines(out)
  let last = ''
  for await (const run of updates) {
    const view = await readViewOptions(invocation, context, run)
    last = formatRunView(run, view)
    await live.draw(viewLines(run, { ...view, rows: out.rows - 1 }).slice(0, out.rows - 1))
  }
  await live.clear()
  await out.write(last)
  return 0
}
