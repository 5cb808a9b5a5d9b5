/** What the comment on a taken issue says. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { withInertMarkdown } from '../../kit/foreign-text.ts'
import { markOf } from './take-issue.ts'

const SENTENCES = {
  queued: 'drover is working on it',
  running: 'drover is working on it',
  continued: 'drover is working on it',
  'waiting for limit': 'drover is working on it',
  delivered: 'drover has finished',
  'delivered, look first': 'drover has finished; look at the work before you merge it',
  merged: 'drover has finished',
  discarded: 'the work of drover was discarded',
  'nothing to change': 'drover found nothing to change',
  'not delivered': 'drover could not finish',
  'waits for you': 'drover needs an answer',
  'paused by limit': 'drover has paused at a limit',
  'not driven': 'drover has stopped',
} as const satisfies Record<RunVerdict['word'], string>

/** GitHub accepts 65,536 characters. */
const QUESTION_LIMIT = 4000

export type CommentFacts = {
  readonly claim: string
  readonly runId: string
  /** Where people see the run. */
  readonly link: string | undefined
  /** The name that a comment begins with to answer. */
  readonly name: string
  /** Undefined: it was not started yet. */
  readonly run?: {
    readonly verdict: Pick<RunVerdict, 'word' | 'exists'>
    readonly question?: string | undefined
  }
  /** Why it could not be started. */
  readonly problem?: string | undefined
  /** Nothing more is done about it, unless someone asks again. */
  readonly isDone: boolean
}

export function composeComment({ claim, runId, link, name, run, problem, isDone }: CommentFacts): string {
  const shown = link === undefined ? `run \`${runId}\`` : `[run \`${runId}\`](${link})`
  const mark = markOf(claim, isDone)
  if (problem !== undefined)
    return `${mark}\ndrover could not start: ${withInertMarkdown(problem)}. To try again, remove the label and set it again.\n`
  const { word, exists } = run?.verdict ?? { word: 'queued' as const, exists: {} }
  const branch = exists.commit === undefined || exists.branch === undefined ? undefined : `branch \`${exists.branch}\``
  const work = exists.pull_request ?? branch
  const lines = [`${SENTENCES[word]}: ${[work, shown].filter((each) => each !== undefined).join(', ')}.`]
  if (run?.question !== undefined)
    lines.push('', ...quote(run.question), '', isDone ? ANSWER_IN_ISSUE : answerWith(name))
  return `${mark}\n${lines.join('\n')}\n`
}

/** The machine that has asked is gone, and a new one reads only the issue. */
const ANSWER_IN_ISSUE = 'Write the answer into the text of the issue, then remove the label and set it again.'

function answerWith(name: string): string {
  return `Answer with a comment that begins with \`@${name}\`.`
}

/** The text of an agent notifies nobody and closes nothing. */
function quote(text: string): string[] {
  const short = text.length > QUESTION_LIMIT ? `${text.slice(0, QUESTION_LIMIT).toWellFormed()} …` : text
  return withInertMarkdown(short)
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
}
