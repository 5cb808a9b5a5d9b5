/** What `drover drive` is about: a run that exists, an issue, or a goal. */

import { findIssueUrl } from '../../source/issue-address.ts'
import { parseOrigin } from '../../source/origin-repository.ts'
import { askGit } from '../../workspace/git.ts'
import type { FoundWorkspace } from '../workspace-command.ts'
import { driveTargetMissing, issueWithoutRepository } from './faults.ts'

export type DriveTarget =
  | { is: 'run'; id: string }
  | { is: 'issue'; url: string }
  /** An issue of the repository that `origin` names. */
  | { is: 'own_issue'; number: number }
  | { is: 'goal'; goal: string }

const LIKE_RUN_ID = /^[0-9a-f]{4,}[0-9a-f-]*$/
const OWN_ISSUE = /^#([1-9][0-9]{0,9})$/

/** Pure. A word of hexadecimal digits is the id of a run, so that a typo never becomes a goal. */
export function parseTarget(text: string | undefined): DriveTarget {
  const trimmed = text?.trim() ?? ''
  if (trimmed === '') throw driveTargetMissing({})
  const number = OWN_ISSUE.exec(trimmed)?.[1]
  if (number !== undefined) return { is: 'own_issue', number: Number(number) }
  const url = /\s/.test(trimmed) ? undefined : findIssueUrl(trimmed)
  if (url !== undefined) return { is: 'issue', url }
  return LIKE_RUN_ID.test(trimmed) ? { is: 'run', id: trimmed } : { is: 'goal', goal: text ?? '' }
}

/** The address of an issue in the repository of this clone. */
export async function findOwnIssue(number: number, { git, workspace, signal }: FoundWorkspace): Promise<string> {
  const args = ['remote', 'get-url', 'origin'] as const
  const { code, stdout } = await askGit(git, { directory: workspace.worktree_root, args, signal })
  const origin = code === 0 ? parseOrigin(stdout.toString('utf8').trim()) : undefined
  if (origin === undefined) throw issueWithoutRepository({ number })
  return `https://github.com/${origin.owner}/${origin.repo}/issues/${number}`
}
