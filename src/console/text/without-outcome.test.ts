import { expect, it } from 'vitest'
import { withoutOutcome } from './without-outcome.ts'

it('the report of an outcome is left out, also while it is written', () => {
  const block = '```drover-outcome\n{"status":"completed"}\n```'
  expect(withoutOutcome(`Done.\n\n${block}`)).toBe('Done.')
  expect(withoutOutcome(`Done.\n\n${block}\n\nMore.`)).toBe('Done.\n\n\n\nMore.')
  expect(withoutOutcome('Done.\n\n```drover-outcome\n{"sta')).toBe('Done.')
  expect(withoutOutcome('The word drover-outcome stays.')).toBe('The word drover-outcome stays.')
})
