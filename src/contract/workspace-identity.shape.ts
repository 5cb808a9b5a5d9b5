import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import { Digest } from './identifiers.shape.ts'
import { NonEmptyText } from './text.shape.ts'

export const WorkspaceIdentity = named(
  'workspaceIdentity',
  strict(
    {
      version: Type.Literal(1, { description: 'The version of this part.' }),
      worktree_root: meaning('Where the worktree begins, as an absolute path.', NonEmptyText),
      git_dir: meaning('The git directory of this worktree.', NonEmptyText),
      git_common_dir: meaning('The git directory that all worktrees of the repository share.', NonEmptyText),
      id: meaning('The digest of the other fields.', Digest),
    },
    { title: 'Workspace identity', description: 'Which worktree of which repository a run belongs to.' },
  ),
)
export type WorkspaceIdentity = Message<typeof WorkspaceIdentity>
