/** What clients ask of driven runs, in the terms of the drive. Pure. */
import type { DriveResumeRequest, DriveStartRequest } from '../drive/service/run-starter.ts'
import { toGivenOptions } from '../drive/start/drive-options.ts'
import type { ResumeBody, StartBody } from './run-requests.shape.ts'

export function toStartRequest({
  goal,
  issue,
  issue_number,
  repository,
  review = true,
  as_goal = false,
  ...body
}: StartBody): DriveStartRequest {
  const target = { goal, issue, issueNumber: issue_number, repository }
  return { ...target, ...toResumeRequest(body), isReviewed: review, isIssueGoal: as_goal }
}

export function toResumeRequest({ actions, ...options }: ResumeBody): DriveResumeRequest {
  return { given: toGivenOptions(options), actions }
}
