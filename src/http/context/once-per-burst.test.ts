import { expect, it } from 'vitest'
import { oncePerBurst } from './once-per-burst.ts'

it('writes the first of a burst, and the first after a quiet minute', () => {
  const written: number[] = []
  let now = 0
  const note = oncePerBurst(
    (at: number) => written.push(at),
    () => now,
  )
  for (const at of [0, 1, 59_999, 119_998, 179_998, 180_000, 240_000]) {
    now = at
    note(at)
  }
  expect(written).toEqual([0, 179_998, 240_000])
})
