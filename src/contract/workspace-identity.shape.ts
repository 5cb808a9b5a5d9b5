import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import { Digest } from './identifiers.shape.ts'
import { NonEmptyText } from './text-kinds.shape.ts'

export const WorkspaceIdentity = named(
  'workspaceIdentity',
  strict(
    {
      version: Type.Literal(1, { description: 'Version of this object.' }),
      worktree_root: meaning('Absolute path of the worktree root.', NonEmptyText),
      git_dir: meaning('The git directory of this worktree.', NonEmptyText),
      git_common_dir: meaning('The git directory that all worktrees of the repository share.', NonEmptyText),
      id: meaning('Digest of the other fields.', Digest),
    },
    { title: 'Workspace identity', description: 'Identifies a worktree of a repository.' },
  ),
)
export type WorkspaceIdentity = Message<typeof WorkspaceIdentity>
