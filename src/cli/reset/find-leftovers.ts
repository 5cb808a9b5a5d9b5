/** What stays after a reset, in the repositories that drover knows, each with the command that removes it. */
import { join } from 'node:path'
import type { Paths } from '../../config/paths.ts'
import { listDriven } from '../../drive/record/driven-records.ts'
import { listHosts } from '../../hosts/list/list-hosts.ts'
import { Fault } from '../../kit/fault.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { outlineRuns, type RunList } from '../../runs/read-status.ts'
import { openRunContext } from '../../runs/run-context.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { askGitForOutput, type Git } from '../../workspace/git.ts'
import type { FoundWorktree } from '../../workspace/worktree-records.ts'
import type { Runtime } from '../command.ts'

export type Looking = { runtime: Runtime; git: Git; signal: AbortSignal; paths: Paths }

export type ResetLeftovers = {
  branches: { repository: string; branch: string; command: string }[]
  journals: { repository: string; path: string; runs: number; command: string }[]
  hosts: { repository: string; hosts: string[]; command: string }[]
  data: { path: string; command: string }
  program: { command: string }
}

type Repository = { root: string; gitCommonDir: string }

type KnownWorktrees = {
  worktrees: readonly FoundWorktree[]
  /** Those that a reset would remove, with branches that have no commit. */
  removed: readonly FoundWorktree[]
}

/** A repository that is gone has nothing. */
export async function findLeftovers(looking: Looking, known: KnownWorktrees): Promise<ResetLeftovers> {
  const { directory } = looking.paths
  const found: ResetLeftovers = {
    ...{ branches: [], journals: [], hosts: [] },
    data: { path: directory, command: `rm -r ${quoteWord(directory)}` },
    program: { command: 'npm uninstall --global drover' },
  }
  for (const repository of await listRepositories(looking, known.worktrees)) {
    found.branches.push(...(await findBranches(repository, looking, known.removed)))
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
  removed: readonly FoundWorktree[],
): Promise<ResetLeftovers['branches']> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname:short)', 'refs/heads/drover/'] as const
  const lines = String(await askGitForOutput(git, { directory: gitCommonDir, args, signal })).split('\n')
  const empty = removed.map(({ base, branch }) => `${base} ${branch}`)
  return lines
    .filter((line) => line !== '' && !empty.includes(line))
    .map((line) => {
      const branch = line.slice(line.indexOf(' ') + 1)
      return { repository: root, branch, command: `git -C ${quoteWord(root)} branch -D ${quoteWord(branch)}` }
    })
}

async function findJournals({ root, gitCommonDir }: Repository, looking: Looking): Promise<ResetLeftovers['journals']> {
  const list = await outlineRunsAt(root, looking).catch((error: unknown) => skip(error, looking.signal))
  const runs = list === undefined ? 0 : list.runs.length + list.unavailable_runs.length
  if (runs === 0) return []
  const path = join(gitCommonDir, 'drover')
  return [{ repository: root, path, runs, command: `rm -r ${quoteWord(path)}` }]
}

/** The runs of the repository to which a worktree belongs. Those of its other worktrees are stubs. */
export async function outlineRunsAt(start: string, { git, signal, runtime }: Looking): Promise<RunList> {
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
