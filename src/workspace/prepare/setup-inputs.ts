/** The files that decide what a setup installs. */
import { basename, join } from 'node:path'
import { tryTo } from '../../kit/fault.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { askGitForOutput, type Git } from '../git.ts'
import { INPUT_NAMES } from './ecosystems.ts'

const LIMIT_BYTES = 64 * 1024 * 1024

/** `content` is undefined if it is a link, or is gone. */
export type SetupInput = { readonly path: string; readonly content: Buffer | undefined }

type Place = { readonly git: Git; readonly root: string; readonly signal: AbortSignal }

/** As they are in the worktree. */
export async function readInputs({ git, root, signal }: Place): Promise<SetupInput[]> {
  const listed = await askGitForOutput(git, { directory: root, args: ['ls-files', '-t', '-z'], signal })
  // A sparse checkout leaves files out: the setup does not see them either.
  const entries = listed
    .toString('utf8')
    .split('\0')
    .filter((entry) => !entry.startsWith('S '))
  const paths = entries.map((entry) => entry.slice(2))
  const wanted = paths.filter((path) => INPUT_NAMES.has(basename(path))).sort()
  return wanted.map((path) => ({ path, content: readContent(join(root, path)) }))
}

/** Whether another tree has the same. */
export function hasInputs(root: string, inputs: readonly SetupInput[]): boolean {
  return inputs.every(({ path, content }) => {
    const other = readContent(join(root, path))
    return content !== undefined && other !== undefined && content.equals(other)
  })
}

function readContent(path: string): Buffer | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes: LIMIT_BYTES }))
}
