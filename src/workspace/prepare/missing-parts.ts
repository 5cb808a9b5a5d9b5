/** Parts of a project that git does not check out in a new worktree, although the user has them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { askGit, type Git } from '../git.ts'
import { hasEntries } from '../worktree-records.ts'
import { findGitLinks } from '../worktrees/add-all.ts'

type Places = { readonly git: Git; readonly root: string; readonly userTree: string; readonly signal: AbortSignal }

/** Pointers of Git LFS begin with this. */
const POINTER = 'version https://git-lfs.github.com/spec/'

export async function listMissingParts(places: Places): Promise<string[]> {
  return [...(await missingSubmodules(places)), ...(await missingLargeFiles(places))]
}

async function missingSubmodules({ git, root, userTree, signal }: Places): Promise<string[]> {
  const links = await findGitLinks(git, { directory: root, signal })
  return links
    .filter((path) => hasEntries(join(userTree, path)) && !hasEntries(join(root, path)))
    .map((path) => `the submodule ${path} is empty; to fill it, set up with: git submodule update --init ${path}`)
}

/** Git checks them out as pointers if its filter is not installed. */
async function missingLargeFiles({ git, root, signal }: Places): Promise<string[]> {
  if (!readdirSync(root).includes('.gitattributes')) return []
  const args = ['grep', '-l', '-I', '-F', '--max-depth', '8', POINTER, '--', ':(attr:filter=lfs)'] as const
  const { code, stdout } = await askGit(git, { directory: root, args, signal })
  const [first] = code === 0 ? stdout.toString('utf8').split('\n') : []
  if (first === undefined || first === '') return []
  return [`files of Git LFS such as ${first} are pointers; install git-lfs, or set up with: git lfs pull`]
}
