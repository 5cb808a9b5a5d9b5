import { describe, expect, it } from 'vitest'
import { randomIds } from './ids.ts'

describe('randomIds', () => {
  it('makes lowercase UUIDs of version 4', () => {
    expect(randomIds.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('makes two random hexadecimal characters per byte', () => {
    const made = new Set(Array.from({ length: 1000 }, () => randomIds.hex(16)))
    expect(made.size).toBe(1000)
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(randomIds.hex(10_000)).toMatch(/^[0-9a-f]{20000}$/)
  })
})
