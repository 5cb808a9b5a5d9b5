/** What became of a driven run: the same words in every face. */
import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../kit/shape.ts'
import { NonEmptyPlainText, PlainText } from './text-kinds.shape.ts'

const WORDS = [
  'delivered',
  'delivered, look first',
  'nothing to change',
  'not delivered',
  'waits for you',
  'paused by limit',
  'continued',
  'running',
  'not driven',
] as const

const optional = Type.Optional

export const RunVerdict = named(
  'runVerdict',
  strict(
    {
      word: literals(WORDS, { description: 'What became of the run.' }),
      line: meaning('The word with its reason, as people read it.', NonEmptyPlainText),
      exit_code: optional(
        Type.Integer({
          minimum: 0,
          description:
            'What `drover drive` exits with: 0, 3, 4 or 5. Absent while it is running, continued or not driven.',
        }),
      ),
      reason: meaning('Why, in one line.', PlainText),
      next: meaning('The one command that comes next.', NonEmptyPlainText),
      look_first: Type.Array(PlainText, {
        description: 'What a person should look at before using the work, serious flags first.',
      }),
      exists: strict(
        {
          branch: optional(meaning('The branch, if it has the work.', NonEmptyPlainText)),
          commit: optional(meaning('The commit on it.', NonEmptyPlainText)),
          pull_request: optional(meaning('The address of the pull request.', NonEmptyPlainText)),
          worktree: optional(meaning('The worktree, if it is still there.', NonEmptyPlainText)),
          follow_up: optional(meaning('The run that continues this one.', NonEmptyPlainText)),
        },
        { description: 'What there is of the work.' },
      ),
    },
    { title: 'Verdict', description: 'What became of a run that agents drive.' },
  ),
)
export type RunVerdict = Message<typeof RunVerdict>
