/** Faults of watchers. */
import { defineFault } from '../../kit/fault.ts'

export const watchBusy = defineFault('watch_busy', 'conflict', {
  when: 'Another process of this user watches the same repository, or has the same schedule with the same goal.',
  message: (d: { what: string; pid: number | undefined }) =>
    `${d.what} is already watched${d.pid === undefined ? '' : ` by process ${d.pid}`}; one process is enough`,
})

export const watchWithoutRepository = defineFault('watch_without_repository', 'usage', {
  when: 'Issues were to be watched from a clone that has no remote `origin` on github.com, and no repository was named.',
  message: () =>
    'there is no remote origin on github.com whose issues could be watched; name the repository with --repo OWNER/NAME, or with repo in drive.watch',
})

export const scheduleInvalid = defineFault('schedule_invalid', 'usage', {
  when: 'The schedule of a watcher is not a cron pattern of five fields, or its time zone does not exist.',
  message: (d: { pattern: string; problem: string }) =>
    `the schedule ${JSON.stringify(d.pattern)} is not valid: ${d.problem}; use five fields, such as "0 3 * * 1" for Mondays at 3:00`,
})
