import { describe, expect, it } from 'vitest'
import { subjectOf, toTitle } from './deliver.ts'
import type { Requirement } from './record/follow-event.shape.ts'

const want = (requirement: Partial<Requirement>): Requirement => ({ id: '1', from: 'person', text: '', ...requirement })

describe('the subject of a round after the delivery', () => {
  it.each([
    [[want({ text: '## Mention @ada\nand #12' })], 'Mention @ada'],
    [[want({ text: 'w'.repeat(80) })], `${'w'.repeat(71)}…`],
    [[want({ text: 'w'.repeat(80) }), want({}), want({})], `${'w'.repeat(58)}… (and 2 more)`],
    [[want({ from: 'check', by: 'build' })], 'Address failed check build'],
    [[want({ from: 'base' })], 'Address conflicts with the base'],
    [
      [want({ from: 'thread', by: 'ada', path: 'a.ts', text: 'Round\nit.' })],
      'Address comment by ada on a.ts: Round it.',
    ],
  ] as const)('of %j is %s', (requirements, subject) => {
    expect(subjectOf(requirements)).toBe(subject)
  })

  it('refers to no one if others wrote it', () => {
    expect(subjectOf([want({ from: 'comment', text: 'Ask @ada about #12' })])).not.toMatch(/@ada|#12/)
  })
})

it('is the first line of the goal, which is inert if it is that of an issue', () => {
  expect(toTitle('Ask @ada\nMore', { isOfUser: true })).toBe('Ask @ada')
  expect(toTitle('Ask @ada\nMore', { isOfUser: false })).not.toContain('@ada')
  expect(toTitle('  \n', { isOfUser: true })).toBe('Change')
})
