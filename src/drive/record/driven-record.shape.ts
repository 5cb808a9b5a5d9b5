import { Type } from 'typebox'
import { UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { literals, type Message, meaning, named, strict, textLike } from '../../kit/shape.ts'

const ceiling = <const M extends string[]>(modes: readonly [...M]) =>
  strict({ mode: literals(modes), setting: Type.String({ description: 'Where it comes from.' }) })

/** Stored in the directory of the user before the run is driven, so that a server finds the runs of all repositories. */
export const DrivenRecord = named(
  'drivenRecord',
  strict(
    {
      version: Type.Literal(1),
      run_id: textLike('^[A-Za-z0-9_-]{1,128}$', 'the id of a run'),
      repository: Type.String({ minLength: 1, description: 'The root of a worktree of the repository that stays.' }),
      git_common_dir: Type.String({ minLength: 1, description: 'The git directory of the repository.' }),
      asked_by: literals(['user', 'client'], {
        description: '`user`: on the command line or on the local socket. `client`: over HTTP.',
      }),
      api_key: Type.Optional(Type.String({ description: 'The name of the API key of the client.' })),
      key_id: Type.Optional(
        Type.String({
          description:
            'The id of that key. Empty: the key is not known. Absent with a name: it is older than the ids of keys.',
        }),
      ),
      ceilings: Type.Optional(
        strict(
          {
            approval: Type.Optional(ceiling(['always', 'auto', 'none'])),
            sandbox: Type.Optional(ceiling(['read-only', 'workspace', 'full'])),
            boundary: Type.Optional(strict({ setting: Type.String() })),
            tools: Type.Optional(strict({ setting: Type.String() })),
            mcpServers: Type.Optional(strict({ names: Type.Array(Type.String()), setting: Type.String() })),
            backends: Type.Optional(strict({ names: Type.Array(Type.String()), setting: Type.String() })),
            directories: Type.Optional(strict({ paths: Type.Array(Type.String()), setting: Type.String() })),
          },
          { description: 'What the server allowed the client. A worker, which has no keys, continues with that.' },
        ),
      ),
      budgets: Type.Optional(
        Type.Array(Type.String(), { description: 'The budgets of the key, such as `20usd/day`, for a worker too.' }),
      ),
      depth: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'How deep its caller is, if that is an agent that drover has started.',
        }),
      ),
      trace: Type.Optional(
        strict(
          {
            traceparent: Type.String(),
            tracestate: Type.Optional(Type.String()),
            is_own: Type.Optional(Type.Literal(true, { description: 'Drover began it: the client sent none.' })),
          },
          { description: 'The trace of the request that started it. It continues after a restart.' },
        ),
      ),
      label: Type.Optional(Type.String({ description: 'The label of the issue for which a watcher started it.' })),
      is_server_driven: Type.Boolean({
        description: 'Whether a server drives it, and continues it when it starts again.',
      }),
      was_server_driven: Type.Optional(
        Type.Literal(true, { description: 'Its last driver was a server, which continues it after an answer.' }),
      ),
      notify: Type.Optional(Type.String({ description: 'A command to run when it waits or has ended.' })),
      queued: Type.Optional(
        strict(
          {
            position: Type.Integer({ description: 'Lower positions start first.' }),
            is_first: Type.Optional(Type.Literal(true, { description: 'The user put it before all others.' })),
          },
          { description: 'It waits in the queue. Removed when a driver takes it.' },
        ),
      ),
      taken_at: Type.Optional(meaning('When a server took it from the queue.', UtcTimestamp)),
      group: Type.Optional(
        strict(
          {
            id: Type.String({ minLength: 1 }),
            max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
            max_cost_microusd: Type.Optional(Type.Integer({ minimum: 1 })),
          },
          { description: 'The runs that were queued together, and what they may use together.' },
        ),
      ),
      problem: Type.Optional(
        strict({ code: Type.String(), message: Type.String() }, { description: 'Why the server could not continue.' }),
      ),
      created_at: meaning('When it was first driven.', UtcTimestamp),
    },
    { title: 'Driven run', description: 'A run that is driven, and by whom.' },
  ),
)
export type DrivenRecord = Message<typeof DrivenRecord>

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
