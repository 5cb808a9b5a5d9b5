import { describe, expect, it } from 'vitest'
import { toBudgetEvent } from './budget-event.ts'

const BUDGET = { name: 'the key ci', unit: 'usd', period: 'day', limit: 20, resets_at: '2026-11-19T00:00:00Z' }
const AT = { at: '2026-11-18T12:00:00Z', consoleUrl: 'https://drover.example.com' }

const eventOf = (used: number, more: Partial<typeof BUDGET> = {}) => toBudgetEvent({ ...BUDGET, ...more, used }, AT)

describe('a budget', () => {
  it.each([
    [15.99, undefined],
    [16, 'Budget at 80 %: the key ci, 20 usd/day'],
    [19.99, 'Budget at 80 %: the key ci, 20 usd/day'],
    [20, 'Budget spent: the key ci, 20 usd/day'],
    [23, 'Budget spent: the key ci, 20 usd/day'],
  ])('of 20 of which %d are used has the title %s', (used, title) => {
    expect(eventOf(used)?.title).toBe(title)
  })

  it('is announced once in a period for each level, and again for another limit', () => {
    const ids = [eventOf(16), eventOf(17), eventOf(20), eventOf(25)].map((event) => event?.id)
    expect([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3]]).toEqual([true, false, true])
    expect(eventOf(16, { resets_at: '2026-11-20T00:00:00Z' })?.id).not.toBe(ids[0])
    expect(eventOf(16, { limit: 19 })?.id).not.toBe(ids[0])
  })

  it('says what is used, when it resets, and where to look', () => {
    expect(eventOf(20.123)).toMatchObject({
      text: '20.12 of 20 usd are used. Prompts that it applies to are refused. It resets at 2026-11-19T00:00:00Z.',
      url: 'https://drover.example.com/#/usage',
      endsAt: '2026-11-19T00:00:00Z',
      data: { level: 'spent', budget: { name: 'the key ci', used: 20.123 } },
    })
    const { resets_at: _, ...once } = BUDGET
    expect(toBudgetEvent({ ...once, period: 'once', used: 16 }, AT)?.text).toBe(
      '16 of 20 usd are used. It does not reset.',
    )
  })
})
