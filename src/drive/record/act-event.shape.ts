/** What a person does with the work of a run after its delivery: merge it, open a pull request, discard it, take it. */
import { type TProperties, Type } from 'typebox'
import { Decider } from '../../agents/adapter/agent.shape.ts'
import { UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { literals, meaning } from '../../kit/shape.ts'
import { event } from './follow-event.shape.ts'

const text = Type.String()
const by = meaning('Who did it.', Decider)

const MERGED_HOW = ['fast_forward', 'merge_commit', 'by_hand'] as const

/** `checked` is what the checks say about a commit. */
export const actEvents = <Checked extends TProperties>(checked: Checked) =>
  [
    /** The base has moved since the run began, so the checks were run on the merge commit. */
    event('merge_checked', { into: text, ...checked }),
    /** The branch `into` is about to move. A process that is killed now has moved it, or not. */
    event('merging', { by, into: text, from: text, commit: text, how: literals(MERGED_HOW) }),
    /** `by_hand`: the branch had the work already. */
    event('merged', { by, into: text, commit: text, how: literals(MERGED_HOW) }),
    event('pull_request_opened', { by, url: text }),
    /** `ref` keeps the commit until then. The worktree and the branch are removed after this record. */
    event('discarded', { by, branch: text, commit: text, ref: text, until: UtcTimestamp }),
    event('discard_undone', { by, branch: text, commit: text }),
    /** The branch is checked out in the worktree `root`. */
    event('taken', { by, branch: text, root: text }),
  ] as const
