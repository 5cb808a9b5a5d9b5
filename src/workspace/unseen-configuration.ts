/**
 * Finds the settings and instructions for agents that git does not show, because it ignores them or because they are in a
 * separate repository: an agent reads them all the same. Installed packages are left out, since they bring their own files
 * with such names, and no agent starts there.
 */
import type { PathObservation } from '../contract/git-observation.shape.ts'
import { isAgentConfiguration } from '../kit/agent-configuration.ts'
import { ContentBudget } from './content-budget.ts'
import { findNamed } from './find-named.ts'
import { askGitForOutput, type Git } from './git.ts'
import { createPathReader, observePath } from './observe-path.ts'

/** As much of an observation as shows a change. */
export type ObservedConfiguration = Pick<PathObservation, 'path' | 'observation'> &
  Partial<Pick<PathObservation, 'content_sha256' | 'size' | 'modified_unix_nano'>>

export type UnseenConfiguration = {
  readonly paths: readonly ObservedConfiguration[]
  /** Whether there was too much to look at all of it. */
  readonly isCut: boolean
}

type Place = { root: string; git: Git; signal: AbortSignal }

export async function findUnseenConfiguration({ root, git, signal }: Place): Promise<UnseenConfiguration> {
  const { found, isCut } = await findNamed(root, isAgentConfiguration)
  if (found.length === 0) return { paths: [], isCut }
  const args = ['--literal-pathspecs', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--'] as const
  const shown = await askGitForOutput(git, { directory: root, signal, args: [...args, ...found] })
  const seen = new Set(shown.toString('utf8').split('\0'))
  const reader = createPathReader({ root, budget: new ContentBudget() })
  const unseen = found.filter((path) => !seen.has(path)).sort()
  return { paths: unseen.map((path) => observePath(toPath(path), reader)), isCut }
}

function toPath(path: string) {
  return { path, bytes: Buffer.from(path).toString('latin1'), category: 'ignored', state: '!' } as const
}
