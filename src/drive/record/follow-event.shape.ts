/** What a driven run records about the pull request that it follows, about requirements that came after its delivery, and about what people did with its work. */
import { type TProperties, Type } from 'typebox'
import { Decider } from '../../agents/adapter/agent.shape.ts'
import { UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { literals, type Message, meaning, named, strict } from '../../kit/shape.ts'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const optional = Type.Optional

export const event = <const T extends string, P extends TProperties>(type: T, description: string, data: P) =>
  strict({ type: Type.Literal(type), at: UtcTimestamp, data: strict(data) }, { description })

/** How a pull request is followed. Older records have none of it. */
export const FOLLOW_OPTIONS = {
  follow: optional(Type.Boolean()),
  follow_rounds: optional(count),
  poll_ms: optional(count),
  reviewers: optional(Type.Array(text)),
  ready: optional(Type.Boolean()),
}

/** Where a requirement comes from: `thread` is a comment on a line, `person` a text of the user. */
export const REQUIREMENT_SOURCES = ['check', 'thread', 'comment', 'review', 'base', 'person'] as const

/** What a round has to do. Its text is data. */
export const Requirement = named(
  'driveRequirement',
  strict({
    /** The same thing never has two ids: `thread-12`. */
    id: text,
    from: literals(REQUIREMENT_SOURCES),
    text,
    by: optional(text),
    url: optional(text),
    path: optional(text),
    line: optional(count),
    /** The first comment of the thread in which it is answered. */
    thread: optional(count),
    /** Of a check: what does not change if it fails for the same reason again. */
    signature: optional(text),
    /** Of the base: the commit to merge, and the files in conflict. */
    commit: optional(text),
    conflicts: optional(Type.Array(text)),
  }),
)
export type Requirement = Message<typeof Requirement>

/** Of a round that began after a delivery, and of those that work on what it left open. */
export const FOLLOWING_ROUND = {
  requirements: optional(Type.Array(Requirement)),
  first_round: optional(Type.Integer({ minimum: 2 })),
}

export const REQUIREMENT_VERDICTS = ['observed', 'claimed', 'contradicted', 'not_done'] as const

const JudgedRequirement = strict({ id: text, verdict: literals(REQUIREMENT_VERDICTS), text })
export type JudgedRequirement = Message<typeof JudgedRequirement>

export const FOLLOW_PAUSES = [
  'branch_taken',
  'same_failure',
  'follow_rounds',
  'round_failed',
  'follow_stopped',
] as const

export const FOLLOW_EVENTS = [
  event('asked', 'What the user wants in addition. It waits until the work is delivered.', {
    requirements: Type.Array(Requirement),
  }),
  event('requirements_judged', 'What became of each requirement of the round.', {
    verdicts: Type.Array(JudgedRequirement),
  }),
  event('answered', 'The forge has the answer to a comment.', { id: text }),
  event('base_seen', 'The base of the pull request has moved.', { commit: text, is_clean: Type.Boolean() }),
  event('described', 'The pull request has the report about this commit.', { commit: text }),
  event('branch_taken', 'Another person pushed to the branch, and was told that drover does not push any more.', {
    commit: text,
  }),
  event('taken_over', 'A person lets drover continue on top of that.', { commit: text }),
  event('made_ready', 'The pull request is no longer a draft.', { commit: text }),
  event('followed', 'The pull request was merged or closed.', {
    end: literals(['merged', 'closed']),
    merge_commit: optional(text),
  }),
] as const

const by = meaning('Who did it.', Decider)

const MERGED_HOW = ['fast_forward', 'merge_commit', 'by_hand'] as const

/** What a person does with the work of a run after its delivery. `checked` is what the checks say about a commit. */
export const actEvents = <Checked extends TProperties>(checked: Checked) =>
  [
    event('merge_checked', 'The base has moved since the run began, so the checks were run on the merge commit.', {
      into: text,
      ...checked,
    }),
    event('merging', 'The branch `into` is about to move. A process that is killed now has moved it, or not.', {
      by,
      into: text,
      from: text,
      commit: text,
      how: literals(MERGED_HOW),
    }),
    event('merged', 'The work is in the branch `into`. `by_hand`: the branch had the work already.', {
      by,
      into: text,
      commit: text,
      how: literals(MERGED_HOW),
    }),
    event('pull_request_opened', 'A person had a pull request opened.', { by, url: text }),
    event(
      'discarded',
      'The work is discarded: the worktree and the branch are removed after this record. `ref` keeps the commit until `until`. Without a commit, there was no work.',
      {
        by,
        branch: text,
        commit: optional(text),
        ref: optional(text),
        until: optional(UtcTimestamp),
      },
    ),
    event('discard_undone', 'The discarded branch is back.', { by, branch: text, commit: optional(text) }),
    event('taken', 'The branch is checked out in the worktree `root`.', { by, branch: text, root: text }),
  ] as const
