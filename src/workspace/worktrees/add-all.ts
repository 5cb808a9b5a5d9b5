/*
 * Adds all changes of a worktree to its index. Git would look for changes inside of every submodule, with the settings of the
 * repository there. Submodules are empty in a new worktree, so such a repository is an agent's. Only its commit is added.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gitFailed } from '../faults.ts'
import { askGit, askGitForOutput, type Git, type GitCommand, gitErrorLine } from '../git.ts'

export type AddOptions = { git: Git; directory: string; signal: AbortSignal; isPartial?: boolean }

/** Throws a fault of git. With `isPartial`, files that cannot be read and repositories without a commit are left out. */
export async function addAll({ git, isPartial = false, ...around }: AddOptions): Promise<void> {
  const links = await findGitLinks(git, around)
  // The text of such a name does not lead to its directory.
  if (links.some((path) => path.includes('\uFFFD'))) throw notAdded('the name of a submodule is not UTF-8')
  const filled = links.filter((path) => existsSync(join(around.directory, path, '.git')))
  const others = ['.', ...filled.map((path) => `:(exclude,literal)${path}`)]
  const { code, stderr } = await askGit(git, {
    ...around,
    args: ['add', '--all', ...(isPartial ? ['--ignore-errors'] : []), '--', ...others],
  })
  if (code > (isPartial ? 1 : 0)) throw notAdded(gitErrorLine(stderr))
  if (filled.length === 0) return
  await askGitForOutput(git, { ...around, args: ['update-index', '-z', '--stdin'], stdin: filled.join('\0') })
}

/** Links to commits of other repositories. In a new worktree their directories are empty. */
export async function findGitLinks(git: Git, around: Pick<GitCommand, 'directory' | 'signal'>): Promise<string[]> {
  const index = (await askGitForOutput(git, { ...around, args: ['ls-files', '--stage', '-z'] })).toString('utf8')
  const links = index.split('\0').filter((line) => line.startsWith('160000 '))
  return links.map((line) => line.slice(line.indexOf('\t') + 1))
}

function notAdded(problem: string) {
  return gitFailed({ command: 'git add', problem })
}
