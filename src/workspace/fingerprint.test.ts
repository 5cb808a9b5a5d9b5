import { describe, expect, it } from 'vitest'
import type { GitObservation, PathObservation } from '../contract/git-observation.shape.ts'
import { digest } from '../kit/digest.ts'
import { fingerprintPaths, hashSnapshot } from './observe-git.ts'

const regular: PathObservation = {
  path: 'a.txt',
  category: 'untracked',
  state: '??',
  observation: 'regular',
  size: 6,
  modified_unix_nano: 1_700_000_000_000_000_000n,
  content_sha256: digest('hello\n'),
  content_fingerprint_kind: 'full_sha256',
}

const empty: Omit<GitObservation, 'snapshot_hash'> = {
  version: 1,
  head: 'unborn',
  index_fingerprint: digest(''),
  status_fingerprint: digest(''),
  path_fingerprint: fingerprintPaths([]),
  path_count: 0,
  details_truncated: false,
  content_observation_complete: true,
  content_bytes_hashed: 0,
  content_byte_limit: 67_108_864,
  content_byte_limit_exceeded: false,
  content_deadline_exceeded: false,
  dirty_files: [],
  path_observations: [],
}

describe('fingerprintPaths', () => {
  it.each([
    ['no paths', [], 'sha256:05fb5d609adb1851c4962fd36890ba92678a502bea69a2bf7787468523850a77'],
    ['one path', [regular], 'sha256:ab636e212b4b4377fd24f96fded3a4c8a5e8535d419fa5540ed8c1a13c9b73d3'],
  ])('has a fixed value for %s', (_what, observations, expected) => {
    expect(fingerprintPaths(observations)).toBe(expected)
  })

  it.each([
    ['path', 'b.txt'],
    ['category', 'ordinary'],
    ['state', '.M'],
    ['observation', 'oversize_sampled'],
    ['size', 7],
    ['size', undefined],
    ['modified_unix_nano', 1_700_000_000_000_000_001n],
    ['modified_unix_nano', undefined],
    ['content_sha256', digest('')],
    ['content_sha256', undefined],
    ['content_fingerprint_kind', 'oversize_samples_v1'],
    ['content_fingerprint_kind', undefined],
  ])('changes with %s: %s', (field, value) => {
    const other = { ...regular, [field]: value } as PathObservation
    expect(fingerprintPaths([other])).not.toBe(fingerprintPaths([regular]))
  })

  it('depends on the order', () => {
    const other = { ...regular, path: 'b.txt' }
    expect(fingerprintPaths([regular, other])).not.toBe(fingerprintPaths([other, regular]))
  })
})

describe('hashSnapshot', () => {
  it('has a fixed value for a new repository', () => {
    expect(hashSnapshot(empty)).toBe('sha256:a4c35e4a4db8d72d9f378854e8cb6f992b6d9cd66d6a6eb85eab71ded8e3555e')
  })

  it.each([
    ['head', '0'.repeat(40)],
    ['index_fingerprint', digest('x')],
    ['status_fingerprint', digest('x')],
    ['path_fingerprint', digest('x')],
    ['path_count', 1],
    ['details_truncated', true],
    ['content_observation_complete', false],
    ['content_bytes_hashed', 1],
    ['content_byte_limit', 1],
    ['content_byte_limit_exceeded', true],
    ['content_deadline_exceeded', true],
    ['path_observations', [regular]],
  ])('changes with %s', (field, value) => {
    expect(hashSnapshot({ ...empty, [field]: value })).not.toBe(hashSnapshot(empty))
  })
})
