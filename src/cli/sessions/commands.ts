/** Definitions of the `sessions` commands. */
import { SESSION_STATUSES } from '../../sessions/session-statuses.ts'
import type { Command, Flag, Positional } from '../command.ts'
import { BACKEND, JSON_FLAG } from '../words/shared-flags.ts'

export const SESSION: Positional = {
  name: 'session',
  description: 'The id of a session, or the first characters of it (at least 4)',
  suggests: async (runtime) => (await import('./suggest-session-ids.ts')).suggestSessionIds(runtime),
}

/** Which sessions are meant. */
const FILTER_FLAGS: readonly Flag[] = [
  { ...BACKEND, description: 'Only sessions of this agent' },
  { name: 'status', value: 'STATUS', description: 'Only sessions in this state', choices: SESSION_STATUSES },
  { name: 'tag', value: 'TAG', description: 'Only sessions with this tag' },
  { name: 'model', short: 'm', value: 'NAME', description: 'Only sessions with this model' },
  { name: 'workdir', short: 'w', value: 'DIR', description: 'Only sessions of this directory' },
  { name: 'here', description: 'Only sessions of the current directory' },
  { name: 'resumable', description: 'Only sessions that can be resumed' },
  {
    name: 'search',
    value: 'TEXT',
    description: 'Only sessions whose title or first prompt holds this, or whose id begins so',
  },
  {
    name: 'since',
    value: 'WHEN',
    description: 'Only sessions used since then: 2026-01-31, an RFC 3339 moment, or 7d, 12h',
  },
  { name: 'until', value: 'WHEN', description: 'Only sessions last used before then' },
]

const PAGE_FLAGS: readonly Flag[] = [
  { name: 'limit', short: 'n', value: 'N', description: 'Show so many, 20 by default', integer: { min: 1, max: 1000 } },
  { name: 'offset', value: 'N', description: 'Leave out the first N', integer: { min: 0, max: 1_000_000_000 } },
]

export const SESSION_COMMANDS: readonly Command[] = [
  {
    words: ['sessions', 'list'],
    group: 'Prompts',
    otherNames: ['ls'],
    summary: 'List sessions, last used first',
    positionals: [],
    flags: [...FILTER_FLAGS, ...PAGE_FLAGS, JSON_FLAG],
    examples: [
      { line: 'drover sessions list --here', description: 'those of this directory' },
      {
        line: 'drover sessions list -b codex --status error --since 7d',
        description: 'what went wrong with codex this week',
      },
      {
        line: 'drover sessions list --search parser --json',
        description: 'for scripts: sessions, total, limit, offset',
      },
    ],
    load: () => import('./list.ts'),
  },
  {
    words: ['sessions', 'show'],
    group: 'Prompts',
    summary: 'Show all that is known of a session',
    positionals: [SESSION],
    flags: [JSON_FLAG],
    examples: [
      { line: 'drover sessions show 3f2a9c1b', description: 'its state, what it used and how to go on with it' },
    ],
    load: () => import('./show.ts'),
  },
  {
    words: ['sessions', 'rename'],
    group: 'Prompts',
    summary: 'Give a session a title',
    positionals: [SESSION, { name: 'title', description: 'The new title; an empty one takes it away' }],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions rename 3f2a9c1b "the parser"', description: 'a name to find it by' }],
    load: async () => ({ run: (await import('./edit.ts')).rename }),
  },
  {
    words: ['sessions', 'tag', 'add'],
    group: 'Prompts',
    summary: 'Add tags to a session',
    positionals: [SESSION, { name: 'tag', description: 'A word of a-z, 0-9, _ and -', repeats: true }],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions tag add 3f2a9c1b review urgent', description: 'two tags' }],
    load: async () => ({ run: (await import('./edit.ts')).addTags }),
  },
  {
    words: ['sessions', 'tag', 'rm'],
    group: 'Prompts',
    summary: 'Take tags off a session',
    positionals: [
      SESSION,
      { name: 'tag', description: 'A tag; one that the session does not have is no error', repeats: true },
    ],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions tag rm 3f2a9c1b urgent', description: 'no longer urgent' }],
    load: async () => ({ run: (await import('./edit.ts')).removeTags }),
  },
  {
    words: ['sessions', 'export'],
    group: 'Prompts',
    summary: 'Write sessions as JSON, JSON lines or Markdown',
    description: `Without ids, every session that the flags let through. A file that exists is not replaced unless --force is given,
and nobody else can read a new one. Answers are not part of a session: the agents keep them.`,
    positionals: [{ ...SESSION, isOptional: true, repeats: true }],
    flags: [
      { name: 'format', value: 'FORMAT', description: 'json by default', choices: ['json', 'jsonl', 'markdown'] },
      {
        name: 'output',
        short: 'o',
        value: 'FILE',
        description: 'Write to a file instead of standard output, which is -',
      },
      { name: 'force', description: 'Replace the file if it exists' },
      ...FILTER_FLAGS,
    ],
    examples: [
      { line: 'drover sessions export --tag review --format markdown', description: 'to read' },
      { line: 'drover sessions export -o sessions.json', description: 'all of them, into a file' },
      { line: 'drover sessions export --format jsonl | jq .id', description: 'one a line' },
    ],
    load: () => import('./export.ts'),
  },
  {
    words: ['sessions', 'delete'],
    group: 'Prompts',
    otherNames: ['rm', 'remove', 'del'],
    summary: 'Delete sessions by id',
    description: 'Nothing is deleted if one of the ids is wrong. A session that is being worked on is not deleted.',
    positionals: [{ ...SESSION, repeats: true }],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions delete 3f2a9c1b 77d0e412', description: 'two sessions' }],
    load: () => import('./delete.ts'),
  },
  {
    words: ['sessions', 'clean'],
    group: 'Prompts',
    summary: 'Delete sessions that were not used for long',
    description: 'How long is session.retention_days of the config, unless --older-than says otherwise.',
    positionals: [],
    flags: [
      { name: 'older-than', value: 'AGE', description: 'Days, or an age such as 12h, 30d, 8w' },
      { name: 'all', description: 'Every session, however new; needs --yes' },
      { name: 'yes', description: 'Confirms --all' },
      { name: 'dry-run', description: 'Only say what would be deleted' },
      JSON_FLAG,
    ],
    examples: [
      { line: 'drover sessions clean --older-than 30d --dry-run', description: 'what would go' },
      { line: 'drover sessions clean', description: 'what the config says is old' },
      { line: 'drover sessions clean --all --yes', description: 'everything' },
    ],
    load: () => import('./clean.ts'),
  },
]
