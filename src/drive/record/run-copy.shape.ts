import { Type } from 'typebox'
import { type Message, named, strict, textLike } from '../../kit/shape.ts'
import { DrivenRecord } from './driven-record.shape.ts'

const commit = textLike('^[0-9a-f]{40}(?:[0-9a-f]{24})?$', 'the id of a commit')
const base64 = (description: string) => Type.String({ description: `${description}, in base64.` })

/** Stored for other machines when an attempt begins and when it has ended. */
export const RunCopy = named(
  'runCopy',
  strict(
    {
      version: Type.Literal(1),
      git_common_dir: Type.String({ minLength: 1, description: 'The git directory of the repository.' }),
      root: Type.String({ minLength: 1, description: 'The worktree of the run.' }),
      branch: Type.String({ minLength: 1 }),
      base: commit,
      head: commit,
      commit,
      pack: base64('What `commit` has and `base` has not'),
      rounds: Type.Array(
        strict({
          record: DrivenRecord,
          events: Type.Integer({ minimum: 1, description: 'The number of records of its driver.' }),
          files: Type.Array(strict({ name: Type.String(), content: base64('The bytes of the file') })),
        }),
        { minItems: 1, description: 'Oldest first.' },
      ),
    },
    { title: 'Copy of a run', description: 'A driven run with its work, so that another machine can continue it.' },
  ),
)
export type RunCopy = Message<typeof RunCopy>
