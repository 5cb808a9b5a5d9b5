import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTraceparent } from './traceparent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

describe('readTraceparent', () => {
  it.each([
    ['version 00', `00-${TRACE}-${PARENT}-01`],
    ['a later version', `01-${TRACE}-${PARENT}-00`],
    ['a later version with more fields', `cc-${TRACE}-${PARENT}-01-what-the-future-brings`],
  ])('takes %s', (_name, traceparent) => {
    expect(readTraceparent(traceparent)).toEqual({ traceparent, traceId: TRACE })
  })

  it.each([
    ['nothing', undefined],
    ['several headers', [`00-${TRACE}-${PARENT}-01`]],
    ['an empty text', ''],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['more fields in version 00', `00-${TRACE}-${PARENT}-01-x`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['text behind it', `00-${TRACE}-${PARENT}-01\n`],
    ['a text without end', `01-${TRACE}-${PARENT}-01-${'x'.repeat(500)}`],
  ])('ignores %s', (_name, header) => {
    expect(readTraceparent(header)).toBeUndefined()
  })

  it('takes every valid one', () => {
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    fc.assert(
      fc.property(hex(32), hex(16), hex(2), (traceId, parentId, flags) => {
        fc.pre(/[^0]/.test(traceId) && /[^0]/.test(parentId))
        const traceparent = `00-${traceId}-${parentId}-${flags}`
        expect(readTraceparent(traceparent)).toEqual({ traceparent, traceId })
      }),
    )
  })
})
