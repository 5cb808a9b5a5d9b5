import { describe, expect, it } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

/** Work that ends when it is told to. */
function controlled() {
  const open: PromiseWithResolvers<void>[] = []
  const work = () => {
    const run = Promise.withResolvers<void>()
    open.push(run)
    return run.promise
  }
  return { open, call: oneAtATime(work) }
}

describe('one at a time', () => {
  it('runs once more for all calls that came meanwhile', async () => {
    const { open, call } = controlled()
    const first = call()
    const [second, third] = [call(), call()]
    expect(open).toHaveLength(1)
    open[0]?.resolve()
    await first
    await Promise.resolve()
    expect(open).toHaveLength(2)
    open[1]?.resolve()
    await Promise.all([second, third])
    void call()
    expect(open).toHaveLength(3)
  })

  it('continues after a failure, which only the callers of that run get', async () => {
    const { open, call } = controlled()
    const [first, second] = [call(), call()]
    open[0]?.reject(new Error('cut'))
    await expect(first).rejects.toThrow('cut')
    await Promise.resolve()
    open[1]?.resolve()
    await expect(second).resolves.toBeUndefined()
  })
})
