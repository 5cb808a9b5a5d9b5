import { Type } from 'typebox'
import { UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { type Message, meaning, named, strict, textLike } from '../../kit/shape.ts'

const paths = (description: string) => Type.Array(Type.String({ minLength: 1 }), { description })

/** Written last: a template without it is not complete. */
export const TemplateRecord = named(
  'templateRecord',
  strict(
    {
      version: Type.Literal(1),
      key: textLike('^[0-9a-f]{64}$', 'the digest of what the setup depends on'),
      repository: Type.String({ minLength: 1, description: 'The git directory of the repository.' }),
      root: Type.String({ minLength: 1, description: 'The worktree in which the setup ran.' }),
      entries: paths('The files and directories that the setup created, below `tree`.'),
      rooted: paths('Text files that contain the path of that worktree.'),
      files: Type.Integer({ minimum: 0 }),
      bytes: Type.Integer({ minimum: 0 }),
      setup_ms: Type.Integer({ minimum: 0, description: 'How long the setup took.' }),
      created_at: meaning('The time of its creation.', UtcTimestamp),
    },
    { title: 'Template', description: 'What a setup has installed, for the next worktree.' },
  ),
)
export type TemplateRecord = Message<typeof TemplateRecord>
