import { describe, expect, it } from 'vitest'
import { callOfItem, itemNumber, placeOfItem, toCallItem } from './response-record.ts'

const executionId = `exec_${'ab'.repeat(12)}`

describe('the id of an item', () => {
  it.each([
    [0, 0],
    [0, 0x0fff],
    [0, 0x1000],
    [1, 0],
    [1, 0x1000],
    [999_999, 70_000],
  ])('of part %i and index %i tells its part, and no other item has it', (part, index) => {
    const id = `msg_${itemNumber({ executionId, part }, index)}`
    expect(placeOfItem(id)).toEqual({ executionId, part })
    expect(id).not.toBe(`msg_${itemNumber({ executionId, part: part + 1 }, index % 0x1000)}`)
  })

  it.each(['function', 'text'] as const)('that is a call tells the call: %s', (kind) => {
    expect(callOfItem(toCallItem('call_12', kind))).toBe('call_12')
    expect(callOfItem('msg_12')).toBeUndefined()
  })
})
