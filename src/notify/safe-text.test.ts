import { expect, it } from 'vitest'
import { toSafeData, toSafeText } from './safe-text.ts'

const MARK = '… [cut: the rest is in the console]'

it('leaves a text as it is up to its limit, and cuts a longer one with a mark', () => {
  expect(toSafeText('x'.repeat(2000))).toBe('x'.repeat(2000))
  expect(toSafeText('x'.repeat(2001))).toBe('x'.repeat(2000 - MARK.length) + MARK)
  expect(toSafeText('x'.repeat(100), 100)).toBe('x'.repeat(100))
  expect(toSafeText('x'.repeat(101), 100)).toBe(`${'x'.repeat(99)}…`)
})

it('cuts 10 MB, and no character in half', () => {
  const text = toSafeText('💨'.repeat(5_000_000))
  expect(text).toHaveLength(2000)
  expect(text.endsWith(MARK)).toBe(true)
  expect(text.isWellFormed()).toBe(true)
})

it('removes a secret at the place where it cuts', () => {
  const secret = `sk-${'a1'.repeat(30)}`
  for (const before of [1900, 1930, 1960, 1999]) {
    expect(toSafeText(`${'x'.repeat(before)} ${secret} and more ${'y'.repeat(3000)}`)).not.toContain('a1a1')
  }
})

it('does so for every text in data, at any depth', () => {
  const data = {
    goal: 'x'.repeat(9999),
    verdict: { look_first: ['token ghp_0123456789abcdef0123456789abcdef0123'] },
    n: 1,
  }
  const safe = toSafeData(data)
  expect(safe['goal']).toHaveLength(2000)
  expect(JSON.stringify(safe)).not.toContain('0123456789')
  expect(safe).toMatchObject({ n: 1 })
})
