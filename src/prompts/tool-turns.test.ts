import { describe, expect, it } from 'vitest'
import { chooseCrowded } from './tool-turns.ts'

describe('chooseCrowded', () => {
  it.each([
    ['the oldest one, if each client has as many', 'abab', 0],
    ['the oldest one of the client that has most', 'abbcb', 1],
    ['none of none', '', undefined],
  ])('is %s', (_, clients, expected) => {
    const turns = [...clients].map((client, at) => ({ client, at }))
    expect(chooseCrowded(turns)?.at).toBe(expected)
  })
})
