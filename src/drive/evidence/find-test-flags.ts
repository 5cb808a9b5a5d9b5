/** Tests that ran before the work and do not run any more. Pure. */
import type { ReviewFlag } from '../record/drive-event.shape.ts'
import type { TestChange } from '../record/test-results.shape.ts'
import { listTests } from './test-change-text.ts'

export type CheckedTests = { readonly command: string; readonly tests: readonly TestChange[] }

const FLAGS: Partial<Record<TestChange['change'], ReviewFlag['flag']>> = {
  failing_removed: 'failing_tests_removed',
  failing_skipped: 'failing_tests_skipped',
  removed: 'tests_removed',
  skipped: 'tests_skipped',
}

export function findTestFlags(checks: readonly CheckedTests[]): ReviewFlag[] {
  return checks.flatMap(({ command, tests }) =>
    tests.flatMap((each): ReviewFlag[] => {
      const flag = FLAGS[each.change]
      return flag === undefined ? [] : [{ flag, detail: `${listTests(each)} (in ${command})` }]
    }),
  )
}
