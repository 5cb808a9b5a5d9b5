/** What became of a driven run: the same words in every face. */
import { Type } from 'typebox'
import { literals, type Message, named, strict } from '../kit/shape.ts'

const WORDS = [
  'delivered',
  'delivered, look first',
  'nothing to change',
  'not delivered',
  'waits for you',
  'paused by limit',
  'merged',
  'discarded',
  'continued',
  'queued',
  'running',
  'waiting for limit',
  'not driven',
] as const

const optional = Type.Optional
const text = (description: string) => Type.String({ description })

export const RunVerdict = named(
  'runVerdict',
  strict(
    {
      word: literals(WORDS, { description: 'What became of the run.' }),
      line: text('The word with its reason, as people read it.'),
      exit_code: optional(
        Type.Integer({
          description:
            'What `drover drive` exits with: 0, 3, 4 or 5. Absent while it is queued, running, waiting for a limit, continued, discarded or not driven.',
        }),
      ),
      reason: text(
        'Why, in one line for people, of at most 400 characters. The whole text of a question is apart from it: `waits_for.question` of a run over HTTP and in the library, `question` of a drive in the library. That of a pause is `pause.message`.',
      ),
      next: text('The one command that comes next.'),
      look_first: Type.Array(Type.String(), {
        description: 'What a person should look at before using the work, serious flags first. It stays after a merge.',
      }),
      exists: strict(
        {
          branch: optional(text('The branch, if it has the work.')),
          commit: optional(text('The commit on it.')),
          pull_request: optional(text('The address of the pull request.')),
          worktree: optional(text('The worktree, if it is still there.')),
          follow_up: optional(text('The run that continues this one.')),
        },
        { description: 'What there is of the work.' },
      ),
    },
    { title: 'Verdict', description: 'What became of a run that agents drive.' },
  ),
)
export type RunVerdict = Message<typeof RunVerdict>
