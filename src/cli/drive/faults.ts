import { defineFault } from '../../kit/fault.ts'

export const driveTargetMissing = defineFault('drive_target_missing', 'usage', {
  when: 'The command `drover drive` was given no goal, issue or run.',
  message: (_: Record<never, never>) =>
    'say what to do: give a goal in quotes, the URL of an issue, or the id of a run',
})

export const restoreNotConfirmed = defineFault('restore_not_confirmed', 'usage', {
  when: 'The command `drover drive ID --restore` has no terminal to ask on, and was not given `--yes`. Nothing was changed.',
  message: (d: { count: number }) =>
    `${d.count === 1 ? '1 change' : `${d.count} changes`} of the repository would be undone, and no one can be asked; see them with "drover status", then add --yes`,
})

export const restoreNeedsRun = defineFault('restore_needs_run', 'usage', {
  when: 'The flag `--restore` was given without the id of a run.',
  message: (_: Record<never, never>) => '--restore needs the id of a run: drover drive ID --restore',
})

export const targetsNotTold = defineFault('targets_not_told', 'unavailable', {
  when: 'The targets of `notify.targets` could not be told about a run. The run itself is not affected.',
  message: (d: { problem: string }) => `no one could be notified: ${d.problem}`,
})

export const notifyFailed = defineFault('notify_failed', 'unavailable', {
  when: 'The `--notify` command failed. The run itself is not affected.',
  message: (d: { command: string; problem: string }) => `the --notify command failed: ${d.command}: ${d.problem}`,
})

export const driveNotHandedOver = defineFault('drive_not_handed_over', 'unavailable', {
  when: 'With `--detach`, no server took over the run. It is kept, and the next server continues it.',
  message: (d: { run: string; problem: string }) =>
    `the run ${d.run} was not handed over to your server: ${d.problem}; "drover up" continues it in the background, "drover drive ${d.run}" here`,
})

export const queueNeedsNewRuns = defineFault('queue_needs_new_runs', 'usage', {
  when: 'The command `drover drive` was to queue a run that exists.',
  message: (d: { id: string }) =>
    `only new runs are queued, and ${JSON.stringify(d.id)} is the id of a run; continue it with "drover drive ${d.id}"`,
})

export const moveNeedsRun = defineFault('move_needs_run', 'usage', {
  when: 'The flag `--ahead-of` was used without the id of one queued run.',
  message: () => 'name the queued run to move: "drover drive RUN --ahead-of OTHER"; "drover drive --queue" shows both',
})

export const queueNotServed = defineFault('queue_not_served', 'unavailable', {
  when: 'No server took notice of a queued run. It is kept, and the next server starts it.',
  message: (d: { problem: string }) =>
    `your server did not take the queue: ${d.problem}; "drover up" starts what is queued, "drover drive --queue" shows it`,
})

export const noLabeledIssues = defineFault('no_labeled_issues', 'usage', {
  when: 'No open issue has the label of `drover drive --label`.',
  message: (d: { label: string }) => `no open issue has the label ${JSON.stringify(d.label)}; correct the label`,
})

export const followNeedsRun = defineFault('follow_needs_run', 'usage', {
  when: 'The flags `--also` or `--take-over` of `drover drive` were given without a run.',
  message: (d: { flag: string }) =>
    `${d.flag} continues a run that is delivered; name one run: "drover drive RUN ${d.flag}"`,
})

export const tooManyIssues = defineFault('too_many_issues', 'too_large', {
  when: 'More open issues have the label of `drover drive --label` than can be queued at once.',
  message: (d: { label: string; count: number; limit: number }) =>
    `${d.count} or more open issues have the label ${JSON.stringify(d.label)}, and at most ${d.limit} can be queued at once; use a label that fewer issues have`,
})
