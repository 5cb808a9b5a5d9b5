import { expect, it } from 'vitest'
import { findGap } from './verify-boundary.ts'

const HELD = { name: 'the home directory is hidden', is_enforced: true, by: 'mounts' }
const LIMIT = { name: 'the size of a file is limited', is_enforced: false, by: 'prlimit', is_limit: true } as const

it('a boundary without a limit is one', () => {
  expect(findGap([HELD, LIMIT])).toBeUndefined()
})

it('a boundary that lets something through is none', () => {
  const gap = { ...HELD, is_enforced: false, problem: 'homeFile: canary' }
  expect(findGap([gap, LIMIT])).toContain('the home directory is hidden: no (homeFile: canary)')
})
