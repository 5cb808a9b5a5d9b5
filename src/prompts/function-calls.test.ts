import { describe, expect, it } from 'vitest'
import { newExecutionId } from '../executions/store/execution-id.ts'
import { randomIds } from '../kit/ids.ts'
import { executionOfCall, newCallId } from './function-calls.ts'

describe('the id of a call', () => {
  it('names the execution whose turn waits', () => {
    const id = newExecutionId(randomIds)
    expect(executionOfCall(newCallId(id))).toBe(id)
    expect(newCallId(id)).not.toBe(newCallId(id))
  })

  it('is not longer than OpenAI allows', () => {
    expect(newCallId(newExecutionId(randomIds)).length).toBeLessThanOrEqual(40)
  })

  it.each([newCallId(), 'call_', 'call_1', 'toolu_0123', `call_${'0'.repeat(31)}`, `call_${'0'.repeat(33)}`])(
    'names none if no turn waits for it: %s',
    (id) => expect(executionOfCall(id)).toBeUndefined(),
  )
})
