/** What became of tests between two runs of a check, the worst first. */
export const TEST_CHANGES = [
  'broken',
  'newly_failing',
  'failing_removed',
  'failing_skipped',
  'removed',
  'skipped',
  'still_failing',
  'no_longer_failing',
  'fixed',
  'added',
] as const
