/** Faults of `drover drive`. */
import { defineFault } from '../../kit/fault.ts'

export const driveTargetMissing = defineFault({
  code: 'drive_target_missing',
  kind: 'usage',
  when: 'The command `drover drive` was given nothing to do.',
  message: (_: Record<never, never>) => 'say what to do: a goal in quotes, the address of an issue, or the id of a run',
})

export const issueWithoutRepository = defineFault({
  code: 'issue_without_repository',
  kind: 'usage',
  when: 'An issue was given by its number, but the clone has no remote `origin` on github.com.',
  message: (d: { number: number }) =>
    `#${d.number} needs a clone whose remote origin is on github.com; give the whole address of the issue`,
})

export const issueNotConfirmed = defineFault({
  code: 'issue_not_confirmed',
  kind: 'usage',
  when: 'An ordinary issue, without the marker of drover, was given, and no one confirmed that its text is the goal.',
  message: (d: { url: string }) =>
    `${d.url} is an ordinary issue; pass --as-goal to use its title and text as the goal`,
})

export const notifyFailed = defineFault({
  code: 'notify_failed',
  kind: 'unavailable',
  when: 'The command of `--notify` failed. The run itself is not affected.',
  message: (d: { command: string; problem: string }) => `the command of --notify failed: ${d.command}: ${d.problem}`,
})
