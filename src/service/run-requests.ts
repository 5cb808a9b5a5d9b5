/** What clients ask of driven runs, in the terms of the drive. Pure. */
import type { DriveResumeRequest, DriveStartRequest, MoreWork } from '../drive/service/run-starter.ts'
import { toGivenOptions } from '../drive/start/drive-options.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import type { FollowUpBody, ResumeBody, StartBody } from './run-requests.shape.ts'

export function toStartRequest({
  goal,
  issue,
  issue_number,
  repository,
  review = true,
  as_goal = false,
  queue = false,
  after,
  group,
  total_tokens,
  total_cost_usd,
  ...body
}: StartBody): DriveStartRequest {
  const target = { goal, issue, issueNumber: issue_number, repository }
  const placed = toQueue({ queue, after, group, total_tokens, total_cost_usd })
  return { ...target, ...toResumeRequest(body), isReviewed: review, isIssueGoal: as_goal, queue: placed }
}

type QueueField = 'queue' | 'after' | 'group' | 'total_tokens' | 'total_cost_usd'
type QueueBody = { readonly [F in QueueField]: StartBody[F] | undefined }

/** Whatever is only said of queued runs queues a run. Without a name, a group is the run alone. */
function toQueue({ queue, after, group: id, ...total }: QueueBody): DriveStartRequest['queue'] {
  const { total_tokens: tokens, total_cost_usd: cost } = total
  if (queue !== true && (after ?? id ?? tokens ?? cost) === undefined) return undefined
  const limits = {
    ...(tokens !== undefined && { max_tokens: tokens }),
    ...(cost !== undefined && { max_cost_microusd: Math.round(cost * 1_000_000) }),
  }
  return { isFirst: false, after, ...((id ?? tokens ?? cost) !== undefined && { group: { id: id ?? '', ...limits } }) }
}

export function toResumeRequest({ actions, ...options }: ResumeBody): DriveResumeRequest {
  return { given: toGivenOptions(options), actions }
}

export function toFollowUp({ also, take_over: takesOver }: FollowUpBody): MoreWork {
  return { also, takesOver }
}

export function toFollowUpBody({ also, takesOver }: MoreWork): FollowUpBody {
  return withoutUndefined({ also: also && [...also], take_over: takesOver })
}
