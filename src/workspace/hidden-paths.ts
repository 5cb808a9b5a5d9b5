/*
 * Finds the paths whose changes git does not show, because a flag in the index tells it not to look: `git update-index
 * --assume-unchanged` or `--skip-worktree`. A sparse checkout sets the latter for files that it leaves out.
 *
 * `git ls-files --stage -v -z` prints, ended by NUL: tag mode object stage TAB path. The tag is `S` for a path that is
 * skipped, and a small letter for one that is assumed to be unchanged.
 */
import { gitFailed } from './faults.ts'
import { askGit, askGitForOutput, type Git } from './git.ts'
import { type ChangedPath, toPathText } from './worktree-status.ts'

type Around = { directory: string; signal: AbortSignal }

/** The index as `git ls-files --stage -z` prints it, and the paths that are hidden by it. */
type ParsedIndex = { readonly entries: Buffer; readonly hidden: readonly ChangedPath[] }

export type Index = ParsedIndex & {
  /** How many paths a sparse checkout leaves out. They are not hidden. */
  readonly leftOut: number
}

export async function readIndex(git: Git, around: Around): Promise<Index> {
  const output = await askGitForOutput(git, { ...around, args: ['ls-files', '--stage', '-v', '-z'] })
  const { entries, hidden } = parseIndex(output)
  const isSparse = hidden.some(isSkipped) && (await isSparseCheckout(git, around))
  if (!isSparse) return { entries, hidden, leftOut: 0 }
  const others = hidden.filter((path) => !isSkipped(path))
  return { entries, hidden: others, leftOut: hidden.length - others.length }
}

const TAG_LENGTH = 'H '.length

function parseIndex(output: Buffer): ParsedIndex {
  const entries: Buffer[] = []
  const hidden: ChangedPath[] = []
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start)
    if (end === -1) throw gitFailed({ command: 'git ls-files', problem: 'its last record has no end' })
    entries.push(output.subarray(start + TAG_LENGTH, end + 1))
    const state = String.fromCharCode(output[start] ?? 0)
    if (/[Sa-z]/.test(state)) {
      const path = output.subarray(output.indexOf('\t', start) + 1, end)
      hidden.push({ path: toPathText(path), bytes: path.toString('latin1'), category: 'hidden', state })
    }
    start = end + 1
  }
  return { entries: Buffer.concat(entries), hidden }
}

/** Only such paths are missing on purpose. Git itself looks at those that are on disk all the same. */
function isSkipped({ state }: ChangedPath): boolean {
  return state === 'S'
}

async function isSparseCheckout(git: Git, around: Around): Promise<boolean> {
  const args = ['config', '--type=bool', '--get', 'core.sparseCheckout'] as const
  return (await askGit(git, { ...around, args })).stdout.toString('latin1').trim() === 'true'
}
