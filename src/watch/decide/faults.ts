/** Faults of decisions about what is watched. */
import { defineFault } from '../../kit/fault.ts'

export const scheduleInvalid = defineFault('schedule_invalid', 'usage', {
  when: 'The schedule of a watcher is not a cron pattern of five fields, or its time zone does not exist.',
  message: (d: { pattern: string; problem: string }) =>
    `the schedule ${JSON.stringify(d.pattern)} is not valid: ${d.problem}; use five fields, such as "0 3 * * 1" for Mondays at 3:00`,
})
