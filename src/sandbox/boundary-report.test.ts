import { expect, it } from 'vitest'
import { BoundaryCounts } from './boundary-report.ts'

it('counts what was reached and refused', () => {
  const counts = new BoundaryCounts()
  for (const host of ['a', 'a', 'b']) counts.add({ is: 'reached', host, port: 443 })
  for (const host of ['c', 'c']) counts.add({ is: 'refused', host, port: 443, reason: 'not listed' })
  counts.add({ is: 'failed', host: 'd', port: 443, problem: 'ECONNREFUSED' })
  expect(counts.report()).toEqual({
    reached: [
      { host: 'a:443', count: 2 },
      { host: 'b:443', count: 1 },
    ],
    refused: [{ host: 'c:443', reason: 'not listed', count: 2 }],
    unwritable: [],
    exceeded: [],
  })
})

it('lists each path once that commands could not write, and fifty at most', () => {
  const counts = new BoundaryCounts()
  const failed = (path: string) => `touch: cannot touch '${path}': Read-only file system\n`
  expect(counts.addPrinted(failed('/a') + failed('/b'))).toEqual(['/a', '/b'])
  expect(counts.addPrinted(failed('/b'))).toEqual([])
  for (let at = 0; at < 60; at++) counts.addPrinted(failed(`/many/${at}`))
  expect(counts.report().unwritable).toHaveLength(50)
})

it('names a thousand hosts, and counts the others together', () => {
  const counts = new BoundaryCounts()
  for (let at = 0; at < 1002; at++) counts.add({ is: 'refused', host: `h${at}`, port: 1, reason: 'not listed' })
  counts.add({ is: 'refused', host: 'h0', port: 1, reason: 'not listed' })
  const { refused } = counts.report()
  expect(refused).toHaveLength(1001)
  expect(refused[0]).toEqual({ host: 'h0:1', reason: 'not listed', count: 2 })
  expect(refused.at(-1)).toEqual({ host: 'other hosts', reason: 'not listed', count: 2 })
})
