import { describe, expect, it } from 'vitest'
import { regular } from '../../test/support/host-tree.ts'
import { digest } from '../kit/digest.ts'
import type { FoundFile } from './found-files.ts'
import { classifyFile } from './inspect-host.ts'

const CURRENT = digest('current')
const EARLIER = digest('earlier')
const BOGUS = digest('bogus')
const absent: FoundFile = { is: 'absent' }

describe('a file', () => {
  it.each([
    ['pristine', 'current', regular('current'), CURRENT],
    ['pristine, though the claim is of an earlier release', 'current', regular('current'), EARLIER],
    ['earlier', 'earlier', regular('earlier'), EARLIER],
    ['earlier, though the claim is of this release', 'earlier', regular('earlier'), CURRENT],
    ['missing', 'current', absent, CURRENT],
    ['missing, whatever the claim says', 'current', absent, BOGUS],
    ['modified', 'other bytes', regular('mine'), CURRENT],
    ['modified', 'a link', { is: 'symlink' }, CURRENT],
    ['modified', 'a directory', { is: 'directory' }, CURRENT],
    ['modified', 'a socket', { is: 'other' }, CURRENT],
    ['modified', 'more than drover ever wrote', { is: 'oversize' }, CURRENT],
    ['stale', 'other bytes', regular('mine'), BOGUS],
    ['stale', 'the very bytes of the claim', regular('bogus'), BOGUS],
    ['stale', 'the bytes of this release', regular('current'), BOGUS],
    ['unclaimed', 'other bytes', regular('mine'), undefined],
    ['unclaimed', 'the bytes of this release', regular('current'), undefined],
    ['unclaimed', 'the bytes of an earlier release', regular('earlier'), undefined],
    ['unclaimed', 'a link', { is: 'symlink' }, undefined],
    ['new', 'nothing', absent, undefined],
    ['blocked', 'not readable', { is: 'unreadable', reason: 'EACCES' }, CURRENT],
    ['blocked', 'behind a link', { is: 'unreachable', reason: 'a link' }, undefined],
  ] as const)('is %s (%s)', (status, _, found, claim) => {
    const facts = { found, claim, current: CURRENT, earlier: [EARLIER] }
    expect(classifyFile(facts)).toBe(status.split(',')[0])
  })

  it('of a path that only an earlier release had is earlier or modified', () => {
    const facts = { claim: EARLIER, current: undefined, earlier: [EARLIER] }
    expect(classifyFile({ ...facts, found: regular('earlier') })).toBe('earlier')
    expect(classifyFile({ ...facts, found: regular('mine') })).toBe('modified')
  })
})
