import { type TProperties, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged, wideInteger } from '../kit/shape.ts'
import { Digest } from './identifiers.shape.ts'
import { NonEmptyText, PathText } from './text.shape.ts'

const modified = wideInteger({ description: 'When the file was last changed, in nanoseconds since 1970.' })

const pathObservation = <P extends TProperties>(own: P) =>
  strict({
    path: meaning('Relative to the root of the worktree.', PathText),
    category: meaning('What sort of change git reports.', NonEmptyText),
    state: meaning('What git status shows for it.', NonEmptyText),
    ...own,
    size: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes.' })),
    content_sha256: Type.Optional(meaning('What was read of the content.', Digest)),
    content_fingerprint_kind: Type.Optional(
      literals(['full_sha256', 'symlink_target_sha256', 'oversize_samples_v1'], {
        description: 'What `content_sha256` is the digest of.',
      }),
    ),
  })

export const PathObservation = named(
  'pathObservation',
  tagged(
    'observation',
    [
      pathObservation({
        observation: literals(['regular', 'oversize_sampled'], { description: 'How the path was seen.' }),
        modified_unix_nano: modified,
      }),
      pathObservation({
        observation: literals(['symlink', 'content_unobserved', 'missing', 'non_regular', 'unreadable'], {
          description: 'How the path was seen.',
        }),
        modified_unix_nano: Type.Optional(modified),
      }),
    ],
    {
      title: 'Path observation',
      description:
        'One path that differs from the last commit. A file that was read, whole or in samples, has `modified_unix_nano`.',
    },
  ),
)
export type PathObservation = Message<typeof PathObservation>

export const GitObservation = named(
  'gitObservation',
  strict(
    {
      version: Type.Literal(1, { description: 'The version of this part.' }),
      head: Type.String({ description: 'The commit that is checked out, or `unborn`.' }),
      index_fingerprint: meaning('Of the index.', Digest),
      status_fingerprint: meaning('Of what git status says.', Digest),
      snapshot_hash: meaning('Of the whole observation.', Digest),
      path_fingerprint: meaning('Of all paths, listed here or not.', Digest),
      path_count: Type.Integer({ minimum: 0, description: 'How many paths there are, listed here or not.' }),
      details_truncated: Type.Boolean({ description: 'Whether some paths are not listed here.' }),
      content_observation_complete: Type.Boolean({ description: 'Whether the content of every path was seen.' }),
      content_bytes_hashed: Type.Integer({ minimum: 0, description: 'Bytes that were read.' }),
      content_byte_limit: Type.Integer({ minimum: 1, description: 'Bytes that could be read at most.' }),
      content_byte_limit_exceeded: Type.Boolean({ description: 'Whether that was too little.' }),
      content_deadline_exceeded: Type.Boolean({ description: 'Whether the time for reading ran out.' }),
      dirty_files: Type.Array(PathText, { uniqueItems: true, description: 'The paths that are listed here.' }),
      path_observations: Type.Array(PathObservation, { description: 'One for each of them, in the same order.' }),
    },
    {
      title: 'Git observation',
      description: 'What git and the disk say about a worktree at one moment.',
      'x-rules': {
        observationsFollowThePaths: '`path_observations` has one entry for each of `dirty_files`, in the same order.',
        countCoversTheList:
          '`path_count` is at least the length of the list, and more exactly when `details_truncated` is true.',
        completenessIsConsistent:
          'A complete content observation exceeded neither limit, and no more was read than `content_byte_limit`.',
      },
    },
  ),
)
export type GitObservation = Message<typeof GitObservation>
