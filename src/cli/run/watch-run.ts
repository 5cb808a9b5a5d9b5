import type { RunOutline } from '../../runs/show-status.ts'
import type { Invocation } from '../command.ts'
import { LiveLines } from '../output/live-lines.ts'
import { sayMoment, sayRun } from './run-text.ts'
import { asLine } from './tell-change.ts'

/** Shows a run after every change, until it has ended or nobody wants to see it any more. */
export async function watchRun({ flags, runtime }: Invocation, moments: AsyncIterable<RunOutline>): Promise<number> {
  const { terminal, clock } = runtime
  if (terminal.out.canRedraw && !flags.isOn('json')) return await redrawRun({ terminal, clock }, moments)
  for await (const run of moments) {
    const written = await terminal.out.write(flags.isOn('json') ? asLine(run) : sayMoment(run))
    if (written === 'closed') break
  }
  return 0
}

/** What is left on the screen is whole, so that its commands can be taken from there. */
async function redrawRun(
  { terminal, clock }: Pick<Invocation['runtime'], 'terminal' | 'clock'>,
  moments: AsyncIterable<RunOutline>,
): Promise<number> {
  const live = new LiveLines(terminal.out)
  let last = ''
  for await (const run of moments) {
    last = sayRun(run, clock.now())
    await live.draw(last.trimEnd().split('\n'))
  }
  await live.clear()
  await terminal.out.write(last)
  return 0
}
