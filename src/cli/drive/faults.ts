/** Faults of `drover drive`. */
import { defineFault } from '../../kit/fault.ts'

export const driveTargetMissing = defineFault({
  code: 'drive_target_missing',
  kind: 'usage',
  when: 'The command `drover drive` was given no goal, issue or run.',
  message: (_: Record<never, never>) =>
    'say what to do: give a goal in quotes, the URL of an issue, or the id of a run',
})

export const notifyFailed = defineFault({
  code: 'notify_failed',
  kind: 'unavailable',
  when: 'The `--notify` command failed. The run itself is not affected.',
  message: (d: { command: string; problem: string }) => `the --notify command failed: ${d.command}: ${d.problem}`,
})
