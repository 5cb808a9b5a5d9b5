import { expect, it } from 'vitest'
import { discardedRef, expiredRefs, keptUntil } from './discarded-refs.ts'

const NOW = new Date('2026-01-31T23:00:00.000Z')
const REF = discardedRef('run-1', keptUntil(NOW))

it('discarded work has the last of seven days in the name of its ref', () => {
  expect([keptUntil(NOW).toISOString(), REF]).toEqual([
    '2026-02-07T23:00:00.000Z',
    'refs/drover/discarded/2026-02-07/run-1',
  ])
})

it('a ref expires when its day is over, and other refs never do', () => {
  const refs = [
    REF,
    'refs/drover/discarded/mine',
    'refs/drover/other/2020-01-01/run-2',
    'refs/heads/drover/test/2020-01-01/x',
  ]
  expect(expiredRefs(refs, new Date('2026-02-07T23:59:59.999Z'))).toEqual([])
  expect(expiredRefs(refs, new Date('2026-02-08T00:00:00.000Z'))).toEqual([REF])
})
