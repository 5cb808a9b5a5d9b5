/** The repositories in which runs are driven, and how each is prepared. */
import type { Config } from '../config/config.shape.ts'
import { findProject, isOutdated, tryToReadProjectFile, withProject } from '../config/projects/projects.ts'
import { listDriven } from '../drive/record/driven-records.ts'
import { Fault } from '../kit/fault.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../workspace/git.ts'
import { findBranch } from '../workspace/worktrees/branch-checkouts.ts'
import type { RepositoryList } from './administration.shape.ts'

type Repository = RepositoryList['repositories'][number]

export type RepositoryPlaces = {
  /** The directories of how repositories are prepared, and of driven runs. */
  readonly directories: { readonly projects: string; readonly drivenRuns: string }
  readonly env: PromptContext['env']
  readonly cwd: string
  readonly shutdown: AbortSignal
}

export async function listRepositories(config: Config, places: RepositoryPlaces): Promise<Repository[]> {
  const { directories, env, cwd, shutdown: signal } = places
  const git = locateGit({ env, cwd })
  const driven = listDriven(directories.drivenRuns)
  const paths = [...new Set([...config.drive.repositories, ...driven.map(({ repository }) => repository)])].sort()
  return await Promise.all(
    paths.map(async (path): Promise<Repository> => {
      const own = driven.filter(({ repository }) => repository === path)
      const common = {
        path,
        is_open: config.drive.repositories.includes(path),
        runs: own.length,
        ...(own[0] !== undefined && { last_run_at: own[0].created_at }),
      }
      try {
        return { ...common, ...(await inspect(config, { path, home: directories.projects, git, signal })) }
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        return { ...common, problem: error.message, setup: [], checks: [] }
      }
    }),
  )
}

type Place = { path: string; home: string; git: Git; signal: AbortSignal }

async function inspect(
  config: Config,
  { path, home, git, signal }: Place,
): Promise<Pick<Repository, 'branch' | 'prepared_by' | 'is_outdated' | 'setup' | 'checks'>> {
  const workspace = await discoverWorkspace({ start: path, git, signal })
  const project = findProject({ home, repository: workspace.git_common_dir })
  const isOld = project !== undefined && isOutdated(project, tryToReadProjectFile(workspace.worktree_root))
  const { setup, checks } = withProject(config, isOld ? undefined : project).drive
  const branch = await findBranch(git, { directory: workspace.worktree_root, signal })
  return {
    ...(branch !== undefined && { branch }),
    ...(project !== undefined && { prepared_by: project.from }),
    ...(isOld && { is_outdated: true }),
    setup: [...setup],
    checks: [...checks],
  }
}
