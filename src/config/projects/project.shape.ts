import { Type } from 'typebox'
import { literals, type Message, named, namedStrict, optionalList, strict, textLike } from '../../kit/shape.ts'

const list = (description: string) =>
  optionalList(description, Type.String({ minLength: 1, maxLength: 4000 }), { maxItems: 50 })

const preparation = {
  setup: list('Commands that prepare a new worktree, without a shell.'),
  copy: list('Files that git ignores, copied from the worktree of the user.'),
  share: list(
    'Directories that git ignores, copied from your worktree instead of running the setup, if all lock files are identical.',
  ),
  checks: list('Commands that must pass, without a shell.'),
}

/** The file `.drover.yml` of a repository. */
export const ProjectFile = namedStrict('projectFile', preparation)
export type ProjectFile = Message<typeof ProjectFile>

/** Stored in the directory of the user, so that no agent can change it. */
export const ProjectRecord = named(
  'projectRecord',
  strict(
    {
      version: Type.Literal(1),
      repository: Type.String({ minLength: 1, description: 'The git directory of the repository.' }),
      from: literals(['user', 'file'], {
        description: 'Who wrote it: the user, or `.drover.yml`, which the user trusts.',
      }),
      file_digest: Type.Optional(
        textLike('^sha256:[0-9a-f]{64}$', 'a digest', { description: 'The content of the file that is trusted.' }),
      ),
      ...preparation,
    },
    { title: 'Project', description: 'How worktrees of a repository are prepared and checked.' },
  ),
)
export type ProjectRecord = Message<typeof ProjectRecord>
