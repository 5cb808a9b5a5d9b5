import { followRun } from '../../runs/follow-run.ts'
import { listRuns, outlineRuns, type RunList } from '../../runs/list-runs.ts'
import { toRunId, toSectionKey } from '../../runs/named-parts.ts'
import { readPinnedMaterial } from '../../runs/read-material.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { outlineRun, showStatus } from '../../runs/show-status.ts'
import type { Invocation, Run } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { inspectRuns } from './run-advice.ts'
import { atDesk } from './run-desk.ts'
import { sayRuns } from './run-list-text.ts'
import { sayRun, saySection } from './run-text.ts'
import { asLine } from './tell-change.ts'
import { watchRun } from './watch-run.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { args, flags } = invocation
    const [named] = args
    const [section, isWatched] = [flags.text('section'), flags.isOn('watch')]
    refuseConflict(invocation)
    if (named === undefined && section === undefined && !isWatched) return await showAll(invocation, await desk.open())
    const runId = await desk.expecting({ next: inspectRuns }, () => toRunId(named))
    desk.runId = runId
    const key = section === undefined ? undefined : toSectionKey(section)
    const context = await desk.open()
    if (isWatched) return await watchRun(invocation, followRun(context, { runId, show: viewFor(invocation) }))
    return key === undefined
      ? await showOne(invocation, context, runId)
      : await showSection(invocation, context, { runId, key })
  })

/** Each of these flags asks for something else to be shown, and only a list has states to choose from. */
function refuseConflict({ args: [named], flags }: Invocation): void {
  const shown = [
    ...(flags.texts('state').length > 0 ? ['--state'] : []),
    ...(flags.text('section') === undefined ? [] : ['--section']),
    ...(flags.isOn('watch') ? ['--watch'] : []),
  ]
  const [one, other] = shown[0] === '--state' && named !== undefined ? ['--state', `run ${named}`] : shown
  if (one !== undefined && other !== undefined) throw flagsConflict({ flags: [one, other] })
}

/** Programs get everything; what people are shown is there without reading a long journal. */
function viewFor({ flags }: Invocation): typeof outlineRun {
  return flags.isOn('json') ? showStatus : outlineRun
}

async function showOne(invocation: Invocation, context: RunContext, runId: string): Promise<number> {
  const { flags, runtime } = invocation
  const shown = await viewFor(invocation)(context, runId)
  await runtime.terminal.out.write(flags.isOn('json') ? asLine(shown) : sayRun(shown, runtime.clock.now()))
  return 0
}

async function showSection(
  { flags, runtime }: Invocation,
  context: RunContext,
  section: { runId: string; key: string },
): Promise<number> {
  const material = await readPinnedMaterial(context, section)
  await runtime.terminal.out.write(flags.isOn('json') ? asLine(material) : saySection(material))
  return 0
}

async function showAll({ flags, runtime }: Invocation, context: RunContext): Promise<number> {
  const { out } = runtime.terminal
  const states = flags.texts('state')
  if (flags.isOn('json')) {
    await out.write(asLine(inStates(await listRuns(context), states)))
    return 0
  }
  const list = inStates(await outlineRuns(context), states)
  await out.write(sayRuns(list, runtime.clock.now(), out) ?? sayNone(states))
  return 0
}

/** In which state a run is that cannot be read, nobody knows: it may be the one that is looked for. */
function inStates<L extends RunList>(list: L, states: readonly string[]): L {
  return states.length === 0 ? list : { ...list, runs: list.runs.filter(({ state }) => states.includes(state)) }
}

function sayNone(states: readonly string[]): string {
  return states.length === 0
    ? 'No runs found. "drover run GOAL" starts one.\n'
    : `No run is ${[...new Set(states)].join(' or ')}.\n`
}
