/** What a watcher keeps on disk, and what clients see of it. */
import { Type } from 'typebox'
import { UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { literals, type Message, meaning, named, strict } from '../../kit/shape.ts'

const optional = Type.Optional
const text = (description: string) => Type.String({ description })
const uuid = (description: string) => Type.String({ pattern: '^[0-9a-f-]{36}$', description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const Pending = strict({ run_id: uuid('The id of the run.'), at: meaning('The time of the schedule.', UtcTimestamp) })

const watched = {
  id: text('Its id: the same for the same repository and label, or the same schedule and goal.'),
  kind: literals(['issues', 'schedule'], { description: 'What it waits for: issues, or a time.' }),
  repository: text('The worktree in which its runs are started.'),
  repo: optional(text('The repository of the issues, such as `ada/weather`.')),
  label: optional(text('The label of the issues.')),
  schedule: optional(text('The times, as a cron pattern.')),
  timezone: optional(text('The time zone of the schedule. Absent: that of the machine.')),
  goal_file: optional(text('The file with the goal.')),
  pid: Type.Integer({ minimum: 1, description: 'The process that looks, or was the last one to look.' }),
  looked_at: optional(meaning('When it last looked.', UtcTimestamp)),
  next_at: optional(meaning('When it looks again, or the next time of the schedule.', UtcTimestamp)),
  last_run_id: optional(text('The last run that it started.')),
  problem: optional(
    strict(
      { code: text('The code of the error.'), message: text('What is wrong and what to do.') },
      { description: 'Why it could not look, or takes no issue now. It looks again at `next_at`.' },
    ),
  ),
}

export const WatchRecord = named(
  'watchRecord',
  strict({
    version: Type.Literal(1),
    ...watched,
    since: meaning('Comments and times of the schedule up to here are done.', UtcTimestamp),
    pending: optional(meaning('The run of a schedule that is about to be started.', Pending)),
  }),
)
export type WatchRecord = Message<typeof WatchRecord>

/** As clients see it. */
export const Watcher = named(
  'Watcher',
  Type.Object({
    ...watched,
    is_running: Type.Boolean({ description: 'Whether a process looks now and then.' }),
  }),
)
export type Watcher = Message<typeof Watcher>

export const WatcherList = named(
  'WatcherList',
  Type.Object({ watchers: Type.Array(Watcher, { description: 'In the order of their repositories.' }) }),
)
export type WatcherList = Message<typeof WatcherList>

/** Written before the issue is claimed and before its run is started, so that neither is done twice. */
export const TakenIssue = named(
  'takenIssue',
  strict({
    version: Type.Literal(1),
    number: Type.Integer({ minimum: 1 }),
    url: text('The address of the issue.'),
    claim: uuid('What the comment is marked with.'),
    asked_at: text('When a person asked for it.'),
    run_id: uuid('The run.'),
    state: literals(['taking', 'started', 'done'], { description: 'How far it is.' }),
    comment_id: optional(count('The comment that says that drover works on the issue.')),
    said: optional(text('What that comment says.')),
    label: optional(text('The label that asked for it. Absent: a comment did.')),
    mention: count('The last comment of a person that was considered. 0: none.'),
    note: optional(text('The text of that comment, if it started the run.')),
  }),
)
export type TakenIssue = Message<typeof TakenIssue>
