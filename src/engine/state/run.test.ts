import { describe, expect, it } from 'vitest'
import { type ActionTrace, hasActionId, passOnActionIds } from './run.ts'

const history = (...ids: string[]) => ids.map((action_id) => ({ action: { action_id } }) as ActionTrace)

describe('the ids of a history', () => {
  it('are those of its actions', () => {
    const actions = history('a', 'b')
    expect(['a', 'b', 'c'].map((id) => hasActionId(actions, id))).toEqual([true, true, false])
  })

  it('are passed on to its continuation', () => {
    const [before, after] = [history('a'), history('a', 'b')]
    passOnActionIds(before, after)
    expect(['a', 'b', 'c'].map((id) => hasActionId(after, id))).toEqual([true, true, false])
  })

  it('exclude those of another continuation', () => {
    const [before, one, other] = [history('a'), history('a', 'b'), history('a', 'c')]
    passOnActionIds(before, one)
    passOnActionIds(before, other)
    expect([hasActionId(before, 'b'), hasActionId(one, 'c'), hasActionId(other, 'b')]).toEqual([false, false, false])
    expect([hasActionId(one, 'b'), hasActionId(other, 'c')]).toEqual([true, true])
  })
})
