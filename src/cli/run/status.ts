import { existsSync } from 'node:fs'
import { summarizeBoundary } from '../../drive/evidence/summarize-boundary.ts'
import { readOverlaps } from '../../drive/read-overlaps.ts'
import { roundsOf } from '../../drive/read-verdict.ts'
import { isDriven, readDrive } from '../../drive/record/drive-journal.ts'
import { Fault } from '../../kit/fault.ts'
import { followRun } from '../../runs/follow-run.ts'
import { readPinnedMaterial } from '../../runs/read-material.ts'
import { listRuns, outlineRun, outlineRuns, type RunList, type RunOutline, showStatus } from '../../runs/read-status.ts'
import { parseSectionKey, shortenKnownRunId, shortenRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner, openOwnWorktree } from '../../runs/run-worktree.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { describeDrive, describePlace, overlapLines } from '../output/drive-text.ts'
import { timesFor, verdictIn } from '../output/format-amounts.ts'
import { LiveLines } from '../output/live-lines.ts'
import { formatLines } from '../output/text-table.ts'
import { findUserPaths } from '../settings.ts'
import { type WorkspaceCommand, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { readViewOptions } from './person-run.ts'
import { toJsonLine } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'
import {
  findVerdict,
  formatRuns,
  inStates,
  noteOnVerdict,
  readVerdicts,
  stateInList,
  tryVerdict,
  type Verdicts,
  withVerdict,
} from './run-list.ts'
import { formatRun, formatSection, formatUpdate } from './run-text.ts'
import { formatRunView, viewLines } from './run-view.ts'
import { describePause } from './run-waits.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const [given] = args
    const [section, isWatched] = [flags.text('section'), flags.isOn('watch')]
    refuseConflict(invocation)
    if (given === undefined && section === undefined && !isWatched) {
      return await showAll(invocation, await openRuns(command, runtime))
    }
    const typed = await readRunId(command, given, 'inspect-runs')
    const key = section === undefined ? undefined : parseSectionKey(section)
    const { context, runId } = await openForReader(command, invocation, typed)
    if (isWatched) return await watchRun(invocation, followRun(context, { runId, show: viewFor(invocation) }), context)
    return key === undefined
      ? await showOne(invocation, context, runId)
      : await showSection(invocation, context, { runId, key })
  })

/** A person at a terminal may look at a run from any worktree. Programs are told where it belongs, as the protocol says. A driven run can be read even if its worktree is gone. */
async function openForReader(command: WorkspaceCommand, { flags, runtime }: Invocation, typed: string) {
  const context = await openRuns(command, runtime)
  const runId = completeRunId(command, context, typed)
  if (readDrive(context.store, runId) !== undefined) return { context: asOwner(context, runId), runId }
  const isPerson = !flags.isOn('json') && runtime.terminal.out.isTty
  return { context: isPerson ? await openOwnWorktree(context, runId) : context, runId }
}

/** Each of these flags selects another view, and `--state` only filters the list. */
function refuseConflict({ args: [given], flags }: Invocation): void {
  const shown = [
    ...(flags.texts('state').length > 0 ? ['--state'] : []),
    ...(flags.text('section') === undefined ? [] : ['--section']),
    ...(flags.isOn('watch') ? ['--watch'] : []),
  ]
  const [one, other] = shown[0] === '--state' && given !== undefined ? ['--state', `run ${given}`] : shown
  if (one !== undefined && other !== undefined) throw flagsConflict({ flags: [one, other] })
}

/** Programs get the whole run. People get an outline, which does not need a long journal to be read. */
function viewFor({ flags }: Invocation): typeof outlineRun {
  return flags.isOn('json') ? showStatus : outlineRun
}

async function showOne(invocation: Invocation, context: RunContext, runId: string): Promise<number> {
  const { flags, runtime } = invocation
  const shown = await viewFor(invocation)(context, runId)
  const text = flags.isOn('json')
    ? toJsonLine(
        await withDrive(
          context,
          withVerdict(shown, await findVerdict(context, shown, { records: recordsOf(invocation) })),
        ),
      )
    : await formatForPerson(invocation, shown, context)
  await runtime.terminal.out.write(text)
  return 0
}

async function withDrive<R extends { id: string }>(context: RunContext, run: R): Promise<R> {
  const driven = readDrive(context.store, run.id)
  const boundary = driven && summarizeBoundary(roundsOf(context.store, driven))
  const overlaps = driven === undefined ? [] : await readOverlaps(context, driven)
  return { ...run, ...(boundary !== undefined && { boundary }), ...(overlaps.length > 0 && { overlaps }) }
}

/** A terminal gets the history in colour; a pipe gets one fact per line. */
async function formatForPerson(invocation: Invocation, run: RunOutline, context: RunContext): Promise<string> {
  const { clock, terminal } = invocation.runtime
  const { out } = terminal
  const driven = readDrive(context.store, run.id)
  const lines =
    driven === undefined
      ? []
      : [
          '',
          ...formatLines(
            describeDrive(roundsOf(context.store, driven), {
              times: timesFor(out, () => clock.now()),
              isDriven: await isDriven(context.store, run.id),
            }),
            out,
          ),
        ]
  const overlaps = driven === undefined ? [] : await readOverlaps(context, driven)
  const nameOf = (id: string) => (out.isTty ? shortenKnownRunId(context, id) : id)
  lines.push(...overlapLines({ overlaps }, nameOf).map((line) => `This run ${line}.`))
  const view = await readViewOptions(invocation, context, run)
  if (out.isTty) return formatRunView(run, { ...view, more: lines })
  return formatRun(run, clock.now(), view.verdict) + lines.map((line) => `${line}\n`).join('')
}

async function showSection(
  { flags, runtime }: Invocation,
  context: RunContext,
  section: { runId: string; key: string },
): Promise<number> {
  const material = await readPinnedMaterial(context, section)
  await runtime.terminal.out.write(flags.isOn('json') ? toJsonLine(material) : formatSection(material))
  return 0
}

const recordsOf = (invocation: Invocation) => findUserPaths(invocation).drivenRuns

async function showAll(invocation: Invocation, context: RunContext): Promise<number> {
  const { flags, runtime } = invocation
  const records = recordsOf(invocation)
  const { out } = runtime.terminal
  const states = flags.texts('state')
  if (flags.isOn('json')) {
    const all = await listRuns(context)
    const verdicts = await readVerdicts(context, all, { records })
    const list = inStates(all, states, verdicts)
    const runs = list.runs.map((run) => withVerdict(run, verdicts.get(run.id)))
    await out.write(toJsonLine({ ...list, runs }))
    return 0
  }
  const all = await outlineRuns(context)
  const { style, isTty, columns } = out
  const nameOf = namesOn(out, all)
  const verdicts = await readVerdicts(context, all, { records, nameOf })
  const list = inStates(all, states, verdicts)
  const waits = await describePauses(context, list, { verdicts, nameOf })
  const times = timesFor(out, () => runtime.clock.now())
  const layout = {
    ...{ style, isTty, columns, nameOf },
    noteOf: (run: RunList['runs'][number]) => {
      const drive = isTty ? readDrive(context.store, run.id) : undefined
      if (drive !== undefined) return describePlace(drive)
      return run.workspace_foreign === true && !existsSync(run.workspace) ? '' : undefined
    },
    stateOf: ({ id, state }: { id: string; state: string }) => stateInList(state, verdicts.get(id)),
    waitOf: (id: string) => waits.get(id) ?? noteOnVerdict(verdictIn(verdicts.get(id), times)),
  }
  await out.write(formatRuns(list, runtime.clock.now(), layout) ?? formatNone(states))
  return 0
}

/** Driven runs have their own worktrees, and are what people wait for. A run that cannot be read has no note. */
async function describePauses(
  context: RunContext,
  { runs }: RunList,
  { verdicts, nameOf = (id) => id }: { verdicts: Verdicts; nameOf: ((id: string) => string) | undefined },
): Promise<ReadonlyMap<string, string | undefined>> {
  const paused = runs.filter(({ state }) => state === 'paused')
  const described = paused.map(async (run) => {
    const outline = run.workspace_foreign === true ? await tryOutline(context, run.id) : run
    return [run.id, outline && describePause(outline, nameOf(run.id), verdicts.get(run.id)?.next)] as const
  })
  return new Map(await Promise.all(described))
}

async function tryOutline(context: RunContext, runId: string): Promise<RunOutline | undefined> {
  try {
    return await outlineRun(asOwner(context, runId), runId)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** Short ids leave room for the goals on a terminal. */
function namesOn(
  { isTty }: { isTty: boolean },
  { runs, unavailable_runs }: RunList,
): ((id: string) => string) | undefined {
  if (!isTty) return undefined
  const ids = [...runs, ...unavailable_runs].map(({ id }) => id)
  return (id) => shortenRunId(id, ids)
}

function formatNone(states: readonly string[]): string {
  return states.length === 0
    ? 'No runs found. "drover drive GOAL" starts one.\n'
    : `No run is ${[...new Set(states)].join(' or ')}.\n`
}

/** Prints a run after every change, until the run has ended or the reader has closed the pipe. */
async function watchRun(
  invocation: Invocation,
  updates: AsyncIterable<RunOutline>,
  context: RunContext,
): Promise<number> {
  const { flags, runtime } = invocation
  const { terminal } = runtime
  if (terminal.out.canRedraw && !flags.isOn('json')) return await redrawRun(invocation, updates, context)
  for await (const run of updates) {
    const verdict = await tryVerdict(context, run, { records: recordsOf(invocation) })
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
