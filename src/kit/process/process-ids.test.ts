import { describe, expect, it } from 'vitest'
import { laterIds, readIdFacts } from './process-tree.ts'

const BEFORE = { started: 50_000, running: 500, limit: 32_768 }
const AT_ONCE = { ...BEFORE }
const LATER = { ...BEFORE, started: 60_000 }

describe('laterIds', () => {
  it.each([
    ['the process', 20_000, 20_000, AT_ONCE],
    ['the next id', 20_000, 20_001, AT_ONCE],
    ['an id after those in use', 20_000, 21_400, AT_ONCE],
    ['as many more as have started', 20_000, 31_400, LATER],
    ['ids that begin again', 32_000, 300, AT_ONCE],
    ['all, when ids have begun again more than once', 20_000, 19_999, { ...BEFORE, started: 1_050_000 }],
    ['all, when most of them are in use', 20_000, 19_999, { ...BEFORE, running: 32_000 }],
  ])('include %s', (_name, first, pid, now) => {
    expect(laterIds(first, BEFORE, now)(pid)).toBe(true)
  })

  it.each([
    ['the id before', 20_000, 19_999, AT_ONCE],
    ['the first process', 20_000, 1, LATER],
    ['higher ids that were given before', 20_000, 30_000, AT_ONCE],
    ['ids before one near the limit', 32_000, 31_999, LATER],
  ])('do not include %s', (_name, first, pid, now) => {
    expect(laterIds(first, BEFORE, now)(pid)).toBe(false)
  })

  it('are all where the system does not tell', () => {
    expect(laterIds(20_000, undefined)(1)).toBe(true)
  })

  it('are all for a search that begins at no process', () => {
    const isLater = laterIds(-1, undefined, AT_ONCE)
    expect([1, 19_999, 32_767].every(isLater)).toBe(true)
  })

  it.skipIf(process.platform !== 'linux')('know the numbers of this system', () => {
    const facts = readIdFacts()
    expect(facts?.started).toBeGreaterThan(facts?.running ?? Number.NaN)
    expect(facts?.limit).toBeGreaterThan(process.pid)
  })
})
