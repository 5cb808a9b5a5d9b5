import { Type } from 'typebox'
import { Digest, UtcTimestamp } from '../contract/identifiers.shape.ts'
import { type Message, meaning, named, optionalInteger, optionalText, strict, textLike } from '../kit/shape.ts'

const ObjectId = textLike('^(?:[0-9a-f]{40}|[0-9a-f]{64})$', 'the id of a commit')

/** Stored beside the worktree before it is created, so that a worktree is known even if its creator is killed. */
export const WorktreeRecord = named(
  'worktreeRecord',
  strict(
    {
      version: Type.Literal(1),
      name: textLike('^[a-z0-9][a-z0-9-]{0,127}$', 'the name of a worktree'),
      branch: Type.String({ minLength: 1 }),
      folder: textLike('^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$', 'the name of a directory'),
      base: meaning('The commit that it was created from.', ObjectId),
      repository: Type.String({
        minLength: 1,
        description: 'The root of the worktree whose repository it belongs to.',
      }),
      git_common_dir: Type.String({ minLength: 1, description: 'The git directory of the repository.' }),
      title: Type.String({ description: 'What it was created for.' }),
      group: optionalText('The same for worktrees that were created together.'),
      label: optionalText('Its name in the group.'),
      key_id: optionalText('The id of the API key of a server that it belongs to.'),
      port: optionalInteger('The first of its ten ports.', { minimum: 1, maximum: 65_535 }),
      filters: Type.Optional(
        Type.Array(strict({ key: Type.String(), value: Type.String() }), {
          description:
            'The settings of git that say how files were filtered when it was created. Only these filters run in it.',
        }),
      ),
      remotes: Type.Optional(meaning('Digest of how git reached the remotes when it was created.', Digest)),
      created_at: meaning('The time of its creation.', UtcTimestamp),
    },
    { title: 'Worktree', description: 'A worktree that drover created.' },
  ),
)
export type WorktreeRecord = Message<typeof WorktreeRecord>
