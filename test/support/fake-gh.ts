/** A `gh` that answers from a file instead of from GitHub; see test/programs/fake-gh.ts. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import { bundledProgram } from './bundled-program.ts'

type FakeComment = {
  id: string
  fullDatabaseId: string
  url: string
  updatedAt: string
  isMinimized: boolean
  body: string
  author: { id: string } | null
  issue: { id: string }
}

export type FakeGitHub = {
  issue?: {
    repositoryId: string
    id: string
    number: number
    url: string
    title: string
    body: string
    updatedAt: string
    labels: { totalCount: number; nodes: readonly { name: string }[] } | null
    parent?: { id: string; url: string; repository: { id: string } } | null
  }
  comments?: readonly FakeComment[]
  /** Ids of nodes that are not comments. */
  others?: readonly string[]
  failure?:
    | 'logged_out'
    | 'logged_out_silently'
    | 'bad_credentials'
    | 'rate_limited'
    | 'secondary_limit'
    | 'forbidden'
    | 'single_sign_on'
    | 'offline'
    | 'bad_gateway'
    | 'garbage'
    | 'half'
    | 'nothing'
    | 'other_shape'
    | 'null_repository'
    | 'unknown'
    | 'unknown_error'
    | 'unknown_partial_error'
    | 'flood'
    | 'slow'
  /** How many calls are answered before the failure begins. */
  failureAfter?: number
}

export type GhCall = {
  args: readonly string[]
  query?: string
  variables?: Record<string, unknown>
  names: readonly string[]
}

/** Writes an executable `gh` into `directory/bin`, for PATH. */
export function installFakeGh(directory: string, github: FakeGitHub) {
  const bin = join(directory, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(directory, 'github.json'), JSON.stringify(github))
  const gh = join(bin, 'gh')
  writeFileSync(
    gh,
    `#!/bin/sh\nexec '${process.execPath}' '${bundledProgram('programs/fake-gh')}' '${directory}' "$@"\n`,
  )
  chmodSync(gh, 0o755)
  const log = join(directory, 'calls.jsonl')
  return {
    bin,
    calls: (): GhCall[] =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
  }
}

/** GitHub with exactly this issue, from which this envelope would be fetched. */
export function toFakeGitHub(envelope: RawSourceEnvelope): Required<Pick<FakeGitHub, 'issue' | 'comments'>> {
  const { parent } = envelope
  return {
    issue: {
      repositoryId: envelope.repository_id,
      id: envelope.issue_id,
      number: envelope.issue_number,
      url: envelope.canonical_url,
      title: envelope.title,
      body: envelope.body,
      updatedAt: envelope.updated_at,
      labels: { totalCount: envelope.labels.length, nodes: envelope.labels.map((name) => ({ name })) },
      parent:
        parent === undefined
          ? null
          : { id: parent.issue_id, url: parent.canonical_url, repository: { id: parent.repository_id } },
    },
    comments: envelope.comments.map((comment) => ({
      id: comment.node_id,
      fullDatabaseId: String(comment.database_id),
      url: comment.url,
      updatedAt: comment.updated_at,
      isMinimized: comment.is_minimized,
      body: comment.body,
      author: { id: comment.author_id },
      issue: { id: envelope.issue_id },
    })),
  }
}
