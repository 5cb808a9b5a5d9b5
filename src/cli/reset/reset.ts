import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Paths } from '../../config/paths.ts'
import { DISCARDED_REFS } from '../../drive/decide/discarded-refs.ts'
import { listDriven } from '../../drive/record/driven-records.ts'
import { listHosts } from '../../hosts/list/list-hosts.ts'
import { Fault } from '../../kit/fault.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { outlineRuns, type RunList } from '../../runs/read-status.ts'
import { openRunContext } from '../../runs/run-context.ts'
import { homeInUse } from '../../store/faults.ts'
import { countOwners } from '../../store/inspect-store.ts'
import { toOwnersDirectory } from '../../store/owners.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { askGitForOutput, type Git, locateGit } from '../../workspace/git.ts'
import { type FoundWorktree, listWorktrees } from '../../workspace/worktree-records.ts'
import type { Invocation, RunCommand, Runtime } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { stopBackground } from '../local/background-server.ts'
import { askStatus } from '../local/local-server.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage } from '../output/printable.ts'
import { askPerson, canAsk, isYes } from '../run/ask-person.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { describeState, readWorktreeState, removeOne } from '../worktrees/worktrees-command.ts'

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
    if (isDryRun || !hasEffect(plan)) return await printResult(invocation, plan, () => formatReset(plan))
    await runtime.terminal.out.write(formatReset(plan))
    const answer = await askPerson(runtime, { question: describeEffect(plan), signal })
    if (!isYes(answer)) {
      await runtime.terminal.out.write('Nothing was changed.\n')
      return EXIT_DECLINED
    }
  }
  const report = await reset(invocation, looking)
  return await printResult(invocation, report, () => formatReset(report))
}

function hasEffect({ server, removed }: ResetReport): boolean {
  return server?.is_background === true || removed.length > 0
}

/** The list above it also has what is only for the user to do. */
function describeEffect({ server, removed }: ResetReport): string {
  const count = removed.length
  const parts = [
    ...(server?.is_background === true ? ['Stop the server'] : []),
    ...(count > 0
      ? [`${server?.is_background === true ? 'remove' : 'Remove'} ${count === 1 ? '1 worktree' : `${count} worktrees`}`]
      : []),
  ]
  return `${parts.join(' and ')}? [y/N] `
}

async function planReset(invocation: Invocation, looking: Looking): Promise<ResetReport> {
  const status = await askStatus(invocation)
  const judged = await judgeWorktrees(looking)
  const removed = judged.filter(({ reason }) => reason === undefined).map(({ worktree }) => worktree)
  const kept = judged.filter(({ reason }) => reason !== undefined).map(({ worktree }) => worktree)
  const leftovers = await findLeftovers(looking, { worktrees: judged.map(({ worktree }) => worktree), kept, removed })
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
  const staying = before.filter(({ name }) => kept.some((each) => each.name === name))
  const leftovers = await findLeftovers(looking, { worktrees: before, kept: staying, removed: [] })
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
  const { kept, branches, discarded, journals, hosts, data, program } = report
  // In the order in which they can be run.
  const staying = [
    ...kept.map(({ name, path, reason, command }) =>
      entry(`worktree ${name}, with its branch: ${reason} (${path})`, command),
    ),
    ...branches.map(({ repository, branch, command }) => entry(`branch ${branch} of ${repository}`, command)),
    ...discarded.map(({ repository, ref, command }) => entry(`discarded work of ${repository}: ${ref}`, command)),
    ...hosts.map(({ repository, hosts, command }) =>
      entry(`capabilities in ${repository} (${hosts.join(', ')})`, command),
    ),
    ...journals.map(({ path, runs, command }) => entry(`journals of ${count(runs, 'run')} in ${path}`, command)),
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

type Looking = { runtime: Runtime; git: Git; signal: AbortSignal; paths: Paths }

type ResetLeftovers = {
  branches: { repository: string; branch: string; command: string }[]
  /** Refs that hold discarded work for a few days. */
  discarded: { repository: string; ref: string; command: string }[]
  journals: { repository: string; path: string; runs: number; command: string }[]
  hosts: { repository: string; hosts: string[]; command: string }[]
  data: { path: string; command: string }
  program: { command: string }
}

type Repository = { root: string; gitCommonDir: string }

type KnownWorktrees = {
  worktrees: readonly FoundWorktree[]
  /** Those whose command removes their branches too. */
  kept: readonly FoundWorktree[]
  /** Those that a reset would remove, with branches that have no commit. */
  removed: readonly FoundWorktree[]
}

/** A repository that is gone has nothing. */
async function findLeftovers(looking: Looking, known: KnownWorktrees): Promise<ResetLeftovers> {
  const { directory } = looking.paths
  const found: ResetLeftovers = {
    ...{ branches: [], discarded: [], journals: [], hosts: [] },
    data: { path: directory, command: `rm -r ${quoteWord(directory)}` },
    program: { command: 'npm uninstall --global drover' },
  }
  for (const repository of await listRepositories(looking, known.worktrees)) {
    found.branches.push(...(await findBranches(repository, looking, known)))
    found.discarded.push(...(await findDiscarded(repository, looking)))
    found.journals.push(...(await findJournals(repository, looking)))
    found.hosts.push(...(await findHosts(repository, looking)))
  }
  return found
}

/** Each once, although it may have several worktrees. */
async function listRepositories(looking: Looking, worktrees: readonly FoundWorktree[]): Promise<Repository[]> {
  const { git, signal, paths, runtime } = looking
  const roots = [
    ...worktrees.map(({ repository }) => repository),
    ...listDriven(paths.drivenRuns).map(({ repository }) => repository),
    runtime.cwd,
  ]
  const repositories = new Map<string, Repository>()
  for (const start of new Set(roots)) {
    const found = await discoverWorkspace({ start, git, signal }).catch((error: unknown) => skip(error, signal))
    if (found === undefined || repositories.has(found.git_common_dir)) continue
    repositories.set(found.git_common_dir, { root: found.worktree_root, gitCommonDir: found.git_common_dir })
  }
  return [...repositories.values()]
}

function skip(error: unknown, signal: AbortSignal): undefined {
  if (!(error instanceof Fault) || signal.aborted) throw error
}

async function findBranches(
  { root, gitCommonDir }: Repository,
  { git, signal }: Looking,
  { kept, removed }: KnownWorktrees,
): Promise<ResetLeftovers['branches']> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname:short)', 'refs/heads/drover/'] as const
  const lines = String(await askGitForOutput(git, { directory: gitCommonDir, args, signal })).split('\n')
  const empty = removed.map(({ base, branch }) => `${base} ${branch}`)
  const named = kept.filter((each) => each.git_common_dir === gitCommonDir).map(({ branch }) => branch)
  return lines
    .filter((line) => line !== '' && !empty.includes(line))
    .map((line) => line.slice(line.indexOf(' ') + 1))
    .filter((branch) => !named.includes(branch))
    .map((branch) => ({
      repository: root,
      branch,
      command: `git -C ${quoteWord(root)} branch -D ${quoteWord(branch)}`,
    }))
}

async function findDiscarded(
  { root, gitCommonDir }: Repository,
  { git, signal }: Looking,
): Promise<ResetLeftovers['discarded']> {
  const args = ['for-each-ref', '--format=%(refname)', DISCARDED_REFS] as const
  const refs = String(await askGitForOutput(git, { directory: gitCommonDir, args, signal })).split('\n')
  return refs
    .filter((ref) => ref !== '')
    .map((ref) => ({ repository: root, ref, command: `git -C ${quoteWord(root)} update-ref -d ${quoteWord(ref)}` }))
}

async function findJournals({ root, gitCommonDir }: Repository, looking: Looking): Promise<ResetLeftovers['journals']> {
  const list = await outlineRunsAt(root, looking).catch((error: unknown) => skip(error, looking.signal))
  const runs = list === undefined ? 0 : list.runs.length + list.unavailable_runs.length
  if (runs === 0) return []
  const path = join(gitCommonDir, 'drover')
  return [{ repository: root, path, runs, command: `rm -r ${quoteWord(path)}` }]
}

/** The runs of the repository to which a worktree belongs. Those of its other worktrees are stubs. */
async function outlineRunsAt(start: string, { git, signal, runtime }: Looking): Promise<RunList> {
  const { clock, version } = runtime
  const workspace = await discoverWorkspace({ start, git, signal })
  return await outlineRuns(openRunContext({ workspace, git, signal, clock, version: version() }))
}

async function findHosts({ root }: Repository, { git, signal }: Looking): Promise<ResetLeftovers['hosts']> {
  const workspace = await discoverWorkspace({ start: root, git, signal })
  const report = await listHosts(workspace).catch((error: unknown) => skip(error, signal))
  const hosts = (report?.hosts ?? []).filter(({ installed }) => installed).map(({ id }): string => id)
  if (hosts.length === 0) return []
  return [{ repository: root, hosts, command: `drover hosts uninstall --root ${quoteWord(root)}` }]
}
