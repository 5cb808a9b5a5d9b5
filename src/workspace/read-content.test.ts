import { describe, expect, it } from 'vitest'
import { CONTENT_LIMITS, ContentBudget } from './read-content.ts'

function createBudget(limits: { bytes: number; ms: number }) {
  const clock = { ms: 1000 }
  return { clock, budget: new ContentBudget(limits, () => clock.ms) }
}

describe('ContentBudget', () => {
  it('has 64 MiB and 5 s by default', () => {
    expect(CONTENT_LIMITS).toEqual({ bytes: 67_108_864, ms: 5000 })
    expect(new ContentBudget().limitBytes).toBe(67_108_864)
  })

  it('allows exactly as many bytes as its limit', () => {
    const { budget } = createBudget({ bytes: 10, ms: 1 })
    expect(budget.reserve(4)).toBe(true)
    expect(budget.reserve(7)).toBe(false)
    expect(budget).toMatchObject({ wasTooSmall: true, wasTooShort: false })
    expect(budget.reserve(6)).toBe(true)
    expect(budget.reserve(0)).toBe(true)
    expect(budget.reserve(1)).toBe(false)
  })

  it('reports exceeded limits only after a refusal', () => {
    const { budget } = createBudget({ bytes: 10, ms: 1 })
    budget.reserve(10)
    expect(budget).toMatchObject({ wasTooSmall: false, wasTooShort: false })
  })

  it('ends at its deadline', () => {
    const { budget, clock } = createBudget({ bytes: 10, ms: 5 })
    clock.ms = 1005
    expect(budget.reserve(1)).toBe(true)
    expect(budget.wasTooShort).toBe(false)
    clock.ms = 1006
    expect(budget.reserve(0)).toBe(false)
    expect(budget).toMatchObject({ wasTooSmall: false, wasTooShort: true })
  })

  it('counts what was read, not what was reserved', () => {
    const { budget } = createBudget({ bytes: 10, ms: 5 })
    budget.reserve(4)
    budget.reserve(5)
    budget.countHashed(5)
    expect(budget.hashedBytes).toBe(5)
  })
})
