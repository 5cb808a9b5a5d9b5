import { Fault } from '../kit/fault.ts'
import { findVersion, isOlder, type Version } from '../kit/process/find-program.ts'
import { gitMissing } from './faults.ts'
import { askGitForOutput, type Git } from './git.ts'

/** The first version with `--path-format=absolute`. */
export const OLDEST_GIT: Version = [2, 31, 0]

export type GitVersion =
  | { is: 'known'; version: Version; isTooOld: boolean; program: string }
  | { is: 'missing'; problem: string }
  | { is: 'unknown'; problem: string }

/** Never throws because of git, and returns within its timeout. */
export async function askGitVersion(
  git: Git,
  { directory, signal }: { directory: string; signal: AbortSignal },
): Promise<GitVersion> {
  try {
    const said = (await askGitForOutput(git, { directory, args: ['version'], signal })).toString('utf8')
    const version = findVersion(said)
    if (version === undefined) return { is: 'unknown', problem: 'git version printed no version' }
    return { is: 'known', version, isTooOld: isOlder(version, OLDEST_GIT), program: git.program ?? 'git' }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { is: error.code === gitMissing.code ? 'missing' : 'unknown', problem: error.message }
  }
}
