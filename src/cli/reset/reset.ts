import { existsSync } from 'node:fs'
import { Fault } from '../../kit/fault.ts'
import { homeInUse } from '../../store/faults.ts'
import { countOwners } from '../../store/inspect-store.ts'
import { toOwnersDirectory } from '../../store/owners.ts'
import { locateGit } from '../../workspace/git.ts'
import { type FoundWorktree, listWorktrees } from '../../workspace/worktree-records.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { stopBackground } from '../local/background-server.ts'
import { askStatus } from '../local/local-server.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage } from '../output/printable.ts'
import { askPerson, canAsk, isYes } from '../run/ask-person.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { describeState, readWorktreeState, removeOne } from '../worktrees/worktrees-command.ts'
import { findLeftovers, type Looking, outlineRunsAt, type ResetLeftovers } from './find-leftovers.ts'

const EXIT_DECLINED = 1

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  using interruption = listenForInterruption()
  const { signal } = interruption
  const looking = { runtime, git: locateGit(runtime), signal, paths: findUserPaths(invocation) }
  const isAsked = !flags.isOn('yes') && !flags.isOn('json') && canAsk(runtime)
  const isDryRun = flags.isOn('dry-run') || !(flags.isOn('yes') || isAsked)
  if (isDryRun || isAsked) {
    const plan = await planReset(invocation, looking)
    if (isDryRun) return await printResult(invocation, plan, () => formatReset(plan))
    await runtime.terminal.out.write(formatReset(plan))
    const answer = await askPerson(runtime, { question: 'Do this? [y/N] ', signal })
    if (!isYes(answer)) {
      await runtime.terminal.out.write('Nothing was changed.\n')
      return EXIT_DECLINED
    }
  }
  const report = await reset(invocation, looking)
  return await printResult(invocation, report, () => formatReset(report))
}

async function planReset(invocation: Invocation, looking: Looking): Promise<ResetReport> {
  const status = await askStatus(invocation)
  const judged = await judgeWorktrees(looking)
  const removed = judged.filter(({ reason }) => reason === undefined).map(({ worktree }) => worktree)
  const leftovers = await findLeftovers(looking, { worktrees: judged.map(({ worktree }) => worktree), removed })
  const server = status === undefined ? null : { pid: status.pid, is_background: status.is_background }
  return { dry_run: true, server, removed: removed.map(({ name }) => ({ name })), kept: toKept(judged), ...leftovers }
}

/** The server first, because it may start agents in worktrees. */
async function reset(invocation: Invocation, looking: Looking): Promise<ResetReport> {
  const { git, signal, paths } = looking
  const { config } = await readSettings(invocation)
  const stopped = await stopBackground(invocation)
  if ((await countOwners(toOwnersDirectory(paths.sessions))).alive > 0) throw homeInUse({ path: paths.sessions })
  // Ends the agents that a killed process left.
  if (existsSync(paths.sessions)) await (await openCommandStores(invocation, config)).sessions.close()
  const before = listWorktrees(paths.worktrees)
  const judged = await judgeWorktrees(looking)
  const removed: ResetReport['removed'][number][] = []
  const kept = toKept(judged)
  for (const { worktree, reason } of judged) {
    if (reason !== undefined) continue
    const result = await removeOne(worktree, { git, signal, isForced: false })
    if ('reason' in result) kept.push({ ...result, command: removalOf(result.name) })
    else removed.push(result)
  }
  const leftovers = await findLeftovers(looking, { worktrees: before, removed: [] })
  const server = stopped === undefined ? null : { pid: stopped, is_background: true }
  return { dry_run: false, server, removed, kept, ...leftovers }
}

function toKept(judged: readonly JudgedWorktree[]): ResetReport['kept'][number][] {
  return judged.flatMap(({ worktree: { name, path }, reason }) =>
    reason === undefined ? [] : [{ name, path, reason, command: removalOf(name) }],
  )
}

function removalOf(name: string): string {
  return `drover worktrees remove ${name} --discard`
}

type ResetReport = ResetLeftovers & {
  dry_run: boolean
  server: { pid: number; is_background: boolean } | null
  removed: { name: string; branch?: string }[]
  kept: { name: string; path: string; reason: string; command: string }[]
}

/** What a reset did or would do, for people. */
function formatReset(report: ResetReport): string {
  const { kept, branches, journals, hosts, data, program } = report
  const staying = [
    ...kept.map(({ name, path, reason, command }) => entry(`worktree ${name}: ${reason} (${path})`, command)),
    ...branches.map(({ repository, branch, command }) => entry(`branch ${branch} of ${repository}`, command)),
    ...journals.map(({ path, runs, command }) => entry(`journals of ${count(runs, 'run')} in ${path}`, command)),
    ...hosts.map(({ repository, hosts, command }) =>
      entry(`capabilities in ${repository} (${hosts.join(', ')})`, command),
    ),
    entry(`sessions and settings in ${data.path}${kept.length > 0 ? ', with the worktrees above' : ''}`, data.command),
    entry('the program', program.command),
  ]
  return `${[...doneLines(report), 'What stays, and what removes it:', ...staying.flat()].join('\n')}\n`
}

function doneLines({ dry_run: isDryRun, server, removed }: ResetReport): string[] {
  const would = (done: string, planned: string) => (isDryRun ? `Would ${planned}` : done)
  const lines = removed.map(({ name, branch }) =>
    toMessage(
      `${would('Removed', 'remove')} the worktree ${name}${branch === undefined ? '' : `; its work is on ${branch}`}.`,
    ),
  )
  return [serverLine(server, would), ...lines].filter((line) => line !== undefined)
}

function serverLine(
  server: ResetReport['server'],
  would: (done: string, planned: string) => string,
): string | undefined {
  if (server === null) return 'No server runs.'
  if (server.is_background) return `${would('Stopped', 'stop')} the server in the background (process ${server.pid}).`
  return `A "drover serve" runs (process ${server.pid}); stop it where it was started.`
}

function entry(what: string, command: string): string[] {
  return [`  ${toMessage(what)}`, `    ${toMessage(command)}`]
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? '' : 's'}`
}

/** `reason`: why it stays; undefined if it holds nothing. */
type JudgedWorktree = { worktree: FoundWorktree; reason: string | undefined }

/** Which worktrees hold nothing: their branches have everything, and no run is open in them. */
async function judgeWorktrees(looking: Looking): Promise<JudgedWorktree[]> {
  const judged: JudgedWorktree[] = []
  for (const worktree of listWorktrees(looking.paths.worktrees)) {
    judged.push({ worktree, reason: await findReason(worktree, looking) })
  }
  return judged
}

async function findReason(worktree: FoundWorktree, looking: Looking): Promise<string | undefined> {
  if (worktree.isMissing) return undefined
  const state = await readWorktreeState(worktree, looking.git, looking.signal)
  // Without its repository no one knows what the files are.
  if (state !== 'removable') return describeState(state)
  const run = await findOpenRun(worktree, looking)
  return run && `the run ${run} has not ended`
}

/** A run that an agent, a person or a later drover may continue there. */
async function findOpenRun({ path }: FoundWorktree, looking: Looking): Promise<string | undefined> {
  try {
    const { runs } = await outlineRunsAt(path, looking)
    return runs.find((run) => run.workspace_foreign !== true && run.state !== 'ended')?.id
  } catch (error) {
    if (!(error instanceof Fault) || looking.signal.aborted) throw error
    return `that could not be read (${error.message})`
  }
}
