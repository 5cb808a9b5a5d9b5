/** Where the page for the morning shows a run. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'

/** In the order of the page. */
export const NIGHT_SECTIONS = [
  'Delivered',
  'Delivered, look first',
  'Waits for you',
  'Not delivered',
  'Discarded',
  'Still running',
] as const

const SECTIONS: Readonly<Record<RunVerdict['word'], (typeof NIGHT_SECTIONS)[number]>> = {
  delivered: 'Delivered',
  merged: 'Delivered',
  'nothing to change': 'Delivered',
  'delivered, look first': 'Delivered, look first',
  'waits for you': 'Waits for you',
  'paused by limit': 'Waits for you',
  'not driven': 'Waits for you',
  'not delivered': 'Not delivered',
  discarded: 'Discarded',
  queued: 'Still running',
  running: 'Still running',
  'waiting for limit': 'Still running',
  // Such a run is a part of the next one.
  continued: 'Still running',
}

export function withSection<R extends { readonly verdict: RunVerdict }>(run: R) {
  return { ...run, section: SECTIONS[run.verdict.word] }
}
