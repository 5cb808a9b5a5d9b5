/** What `drover drive` is about: a run that exists, an issue, or a goal. */

import type { DriveTarget } from '../../drive/start/start-drive.ts'
import { findIssueUrl } from '../../source/issue-address.ts'
import { driveTargetMissing } from './faults.ts'

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
