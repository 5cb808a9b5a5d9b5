import type { Problem, Rule } from '../kit/schema.ts'
import type { GitObservation } from './git-observation.shape.ts'

function observationsFollowThePaths({ dirty_files, path_observations }: GitObservation): Problem[] {
  if (dirty_files.length !== path_observations.length) {
    return [{ path: '$.path_observations', rule: `must have ${dirty_files.length} items, one for each of dirty_files` }]
  }
  const index = path_observations.findIndex(({ path }, at) => path !== dirty_files[at])
  return index === -1 ? [] : [{ path: `$.path_observations[${index}].path`, rule: `must be dirty_files[${index}]` }]
}

function countCoversTheList({ path_count, path_observations, details_truncated }: GitObservation): Problem[] {
  const listed = path_observations.length
  if (path_count < listed) return [{ path: '$.path_count', rule: `must be at least ${listed}, the paths listed` }]
  return details_truncated === path_count > listed
    ? []
    : [
        {
          path: '$.details_truncated',
          rule: `must be ${path_count > listed}, as ${listed} of ${path_count} are listed`,
        },
      ]
}

function completenessIsConsistent(observation: GitObservation): Problem[] {
  const { content_bytes_hashed, content_byte_limit, content_byte_limit_exceeded, content_deadline_exceeded } =
    observation
  const isCutShort = content_byte_limit_exceeded || content_deadline_exceeded
  return [
    ...(observation.content_observation_complete && isCutShort
      ? [{ path: '$.content_observation_complete', rule: 'must be false when a limit was exceeded' }]
      : []),
    ...(content_bytes_hashed > content_byte_limit
      ? [{ path: '$.content_bytes_hashed', rule: `must be at most content_byte_limit, ${content_byte_limit}` }]
      : []),
  ]
}

export const gitObservationRules: readonly Rule<GitObservation>[] = [
  observationsFollowThePaths,
  countCoversTheList,
  completenessIsConsistent,
]
