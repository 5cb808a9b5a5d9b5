import { type TProperties, Type } from 'typebox'
import { literals, type Message, meaning, named, optionalInteger, strict, tagged, wideInteger } from '../kit/shape.ts'
import { Digest } from './identifiers.shape.ts'
import { NonEmptyText, PathText } from './text-kinds.shape.ts'

const modified = wideInteger({ description: 'Modification time in nanoseconds since 1970.' })

const pathObservation = <P extends TProperties>(own: P) =>
  strict({
    path: meaning('Path relative to the root of the worktree.', PathText),
    category: meaning('Kind of change that git reports.', NonEmptyText),
    state: meaning('Status code of `git status`; of a hidden path, the tag of `git ls-files -v`.', NonEmptyText),
    ...own,
    size: optionalInteger('Size in bytes.', { minimum: 0 }),
    content_sha256: Type.Optional(meaning('Digest of the content that was read.', Digest)),
    content_fingerprint_kind: Type.Optional(
      literals(['full_sha256', 'symlink_target_sha256', 'oversize_samples_v1'], {
        description: 'What `content_sha256` covers.',
      }),
    ),
  })

export const PathObservation = named(
  'pathObservation',
  tagged(
    'observation',
    [
      pathObservation({
        observation: literals(['regular', 'oversize_sampled'], { description: 'How the path was observed.' }),
        modified_unix_nano: modified,
      }),
      pathObservation({
        observation: literals(['symlink', 'content_unobserved', 'missing', 'non_regular', 'unreadable'], {
          description: 'How the path was observed.',
        }),
        modified_unix_nano: Type.Optional(modified),
      }),
    ],
    {
      title: 'Path observation',
      description:
        'One path that differs from the last commit, or that the index hides from git (category `hidden`). A file whose content was read, in full or in samples, has `modified_unix_nano`.',
    },
  ),
)
export type PathObservation = Message<typeof PathObservation>

export const GitObservation = named(
  'gitObservation',
  strict(
    {
      version: Type.Literal(1, { description: 'Version of this object.' }),
      head: Type.String({ description: 'The checked-out commit, or `unborn`.' }),
      index_fingerprint: meaning('Digest of the index.', Digest),
      status_fingerprint: meaning('Digest of the output of git status.', Digest),
      snapshot_hash: meaning('Digest of the whole observation.', Digest),
      path_fingerprint: meaning('Digest of all paths, listed or not.', Digest),
      path_count: Type.Integer({ minimum: 0, description: 'Number of all paths, listed or not.' }),
      details_truncated: Type.Boolean({ description: 'Whether some paths are not listed.' }),
      content_observation_complete: Type.Boolean({ description: 'Whether the content of every path was read.' }),
      content_bytes_hashed: Type.Integer({ minimum: 0, description: 'Number of content bytes that were read.' }),
      content_byte_limit: Type.Integer({ minimum: 1, description: 'Limit of content bytes to read.' }),
      content_byte_limit_exceeded: Type.Boolean({ description: 'Whether the limit stopped the reading.' }),
      content_deadline_exceeded: Type.Boolean({ description: 'Whether the deadline stopped the reading.' }),
      dirty_files: Type.Array(PathText, { uniqueItems: true, description: 'The listed paths.' }),
      path_observations: Type.Array(PathObservation, {
        description: 'One observation per listed path, in the same order.',
      }),
    },
    {
      title: 'Git observation',
      description: 'The state of a worktree at one moment, from git and the disk.',
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
