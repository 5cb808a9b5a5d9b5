/** What people did with the work of a run. */
export const ACTS = ['merged', 'pull_request_opened', 'discarded', 'discard_undone', 'taken'] as const
