/** The verdict on a driven run as text for people. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { toPrintable } from './printable.ts'
import type { StyledLine } from './styled-line.ts'

const TONES = {
  delivered: 'good',
  'delivered, look first': 'open',
  'nothing to change': 'good',
  'not delivered': 'bad',
  'waits for you': 'open',
  'paused by limit': 'open',
  continued: 'dim',
  queued: 'dim',
  running: 'good',
  'waiting for limit': 'open',
  'not driven': 'bad',
} as const satisfies Record<RunVerdict['word'], string>

/** In one line. What to look at comes below it, one line each. */
export function describeVerdict({ word, line, look_first: lookFirst }: RunVerdict): StyledLine[] {
  const tone = TONES[word]
  if (lookFirst.length === 0) return [{ text: toPrintable(line), tone }]
  return [{ text: word, tone }, ...lookFirst.map((each): StyledLine => ({ text: `  ${toPrintable(each)}`, tone }))]
}
