import { describe, expect, it } from 'vitest'
import type { GitObservation, PathObservation } from '../../contract/git-observation.shape.ts'
import { digest } from '../../kit/digest.ts'
import { isChanged } from './git-changes.ts'

const file: PathObservation = {
  path: 'a',
  category: 'ordinary',
  state: '.M',
  observation: 'regular',
  size: 1,
  modified_unix_nano: 1,
  content_sha256: digest('x'),
  content_fingerprint_kind: 'full_sha256',
}
const { content_sha256: _, content_fingerprint_kind: __, ...rest } = file
const unread: PathObservation = { ...rest, observation: 'content_unobserved' }
const unreadable: PathObservation = { path: 'a', category: 'ordinary', state: '.M', observation: 'unreadable' }
const missing: PathObservation = { ...unreadable, observation: 'missing' }

const incomplete: GitObservation = {
  version: 1,
  head: 'unborn',
  index_fingerprint: digest(''),
  status_fingerprint: digest(''),
  path_fingerprint: digest(''),
  snapshot_hash: digest('before'),
  path_count: 1,
  details_truncated: false,
  content_observation_complete: false,
  content_bytes_hashed: 0,
  content_byte_limit: 1,
  content_byte_limit_exceeded: false,
  content_deadline_exceeded: false,
  dirty_files: ['a'],
  path_observations: [file],
}
const after = { ...incomplete, snapshot_hash: digest('after') }
const seeing = (one: PathObservation) => ({ path_observations: [one] })

describe('isChanged', () => {
  it.each([
    ['the same snapshot', false, incomplete, { ...incomplete, head: 'other' }],
    [
      'another snapshot, both complete',
      true,
      { ...incomplete, content_observation_complete: true },
      { ...after, content_observation_complete: true },
    ],
    ['another snapshot, only the first complete', false, { ...incomplete, content_observation_complete: true }, after],
    ['another snapshot, only the second complete', false, incomplete, { ...after, content_observation_complete: true }],
    ['another commit', true, incomplete, { ...after, head: '0'.repeat(40) }],
    ['another index', true, incomplete, { ...after, index_fingerprint: digest('x') }],
    ['another status', true, incomplete, { ...after, status_fingerprint: digest('x') }],
    ['another category', true, incomplete, { ...after, ...seeing({ ...file, category: 'untracked' }) }],
    ['another state', true, incomplete, { ...after, ...seeing({ ...file, state: 'M.' }) }],
    ['another content', true, incomplete, { ...after, ...seeing({ ...file, content_sha256: digest('y') }) }],
    [
      'another kind of digest',
      true,
      incomplete,
      { ...after, ...seeing({ ...file, content_fingerprint_kind: 'oversize_samples_v1' }) },
    ],
    [
      'the same content at another time',
      false,
      incomplete,
      { ...after, ...seeing({ ...file, modified_unix_nano: 2 }) },
    ],
    ['a size that differs, unread', true, incomplete, { ...after, ...seeing({ ...unread, size: 2 }) }],
    ['the same size, unread', false, incomplete, { ...after, ...seeing(unread) }],
    ['no size', false, incomplete, { ...after, ...seeing(unreadable) }],
    ['a file that is gone', true, incomplete, { ...after, ...seeing(missing) }],
    [
      'a file that is a folder now, of the same size',
      true,
      incomplete,
      { ...after, ...seeing({ ...missing, observation: 'non_regular', size: 1 }) },
    ],
    [
      'a file that was never read and is gone',
      false,
      { ...incomplete, ...seeing(unread) },
      { ...after, ...seeing(missing) },
    ],
    [
      'a path that is listed only once',
      false,
      incomplete,
      { ...after, ...seeing({ ...file, path: 'b', state: 'M.' }) },
    ],
  ] as const)('%s: %s', (_what, expected, before, now) => {
    expect(isChanged(before, now)).toBe(expected)
  })
})
