/** The commands about sessions: `resume` and `sessions`. */
import { SESSION_STATUSES } from '../../sessions/session-statuses.ts'
import type { Command, Flag, Positional } from '../command.ts'
import { BACKEND, JSON_FLAG, MODEL, SINGLE_RUN } from '../words/shared-flags.ts'

const SESSION: Positional = {
  name: 'session',
  says: 'The id of a session, or the first characters of it (at least 4)',
  suggests: async (world) => (await import('./suggest-session-ids.ts')).suggestSessionIds(world),
}

/** Which sessions are meant. */
const FILTER_FLAGS: readonly Flag[] = [
  { ...BACKEND, says: 'Only sessions of this agent' },
  { name: 'status', value: 'STATUS', says: 'Only sessions in this state', choices: SESSION_STATUSES },
  { name: 'tag', value: 'TAG', says: 'Only sessions with this tag' },
  { name: 'model', short: 'm', value: 'NAME', says: 'Only sessions with this model' },
  { name: 'workdir', short: 'w', value: 'DIR', says: 'Only sessions of this directory' },
  { name: 'here', says: 'Only sessions of the current directory' },
  { name: 'resumable', says: 'Only sessions that can be resumed' },
  {
    name: 'search',
    value: 'TEXT',
    says: 'Only sessions whose title or first prompt holds this, or whose id begins so',
  },
  { name: 'since', value: 'WHEN', says: 'Only sessions used since then: 2026-01-31, an RFC 3339 moment, or 7d, 12h' },
  { name: 'until', value: 'WHEN', says: 'Only sessions last used before then' },
]

const PAGE_FLAGS: readonly Flag[] = [
  { name: 'limit', short: 'n', value: 'N', says: 'Show so many, 20 by default', integer: { min: 1, max: 1000 } },
  { name: 'offset', value: 'N', says: 'Leave out the first N', integer: { min: 0, max: 1_000_000_000 } },
]

export const SESSION_COMMANDS: readonly Command[] = [
  {
    words: ['resume'],
    group: 'Prompts',
    summary: 'Go on with a session',
    description: `The agent, the directory and what the agent may do are those of the session; flags change them for this turn, and a
warning says so. Without a session and without --last, a terminal offers the latest ones to choose from; it asks for a
prompt that is missing. With --here and a prompt it is the latest session of this directory, as with --last --here; a
prompt that could be an id (only 0-9 and a-f) needs --last.
--fork starts a new session with the settings of that one and a link to it. The agent begins afresh: what was said in
the old session is not carried over.`,
    positionals: [
      { ...SESSION, isOptional: true },
      { name: 'text', says: 'The prompt; - reads it from standard input', isOptional: true },
    ],
    flags: [
      {
        name: 'last',
        says: 'The session that was used last and whose directory exists; the first word is then the prompt',
      },
      { name: 'latest', says: 'The same as --last' },
      { name: 'here', says: 'Only sessions of the current directory: the latest one, or to choose from' },
      { ...BACKEND, says: 'With --last or to choose from: only sessions of this agent' },
      { name: 'fork', says: 'Start a new session with the settings of this one' },
      { ...MODEL, says: 'Another model than that of the session' },
      ...SINGLE_RUN,
    ],
    examples: [
      { line: 'drover resume 3f2a9c1b "now write the tests"', says: 'by the beginning of its id' },
      { line: 'drover resume --here "go on"', says: 'the latest session of this directory' },
      { line: 'drover resume', says: 'choose one of the latest sessions' },
      {
        line: 'git diff | drover resume --last -b codex -',
        says: 'the latest session of codex, the prompt from a pipe',
      },
      { line: 'drover resume 3f2a9c1b --fork "try it another way"', says: 'the same settings, a new conversation' },
    ],
    load: () => import('../commands/resume.ts'),
  },
  {
    words: ['sessions', 'list'],
    group: 'Prompts',
    elsewhere: ['ls'],
    summary: 'List sessions, last used first',
    positionals: [],
    flags: [...FILTER_FLAGS, ...PAGE_FLAGS, JSON_FLAG],
    examples: [
      { line: 'drover sessions list --here', says: 'those of this directory' },
      { line: 'drover sessions list -b codex --status error --since 7d', says: 'what went wrong with codex this week' },
      { line: 'drover sessions list --search parser --json', says: 'for scripts: sessions, total, limit, offset' },
    ],
    load: () => import('../commands/sessions-list.ts'),
  },
  {
    words: ['sessions', 'show'],
    group: 'Prompts',
    summary: 'Show all that is known of a session',
    positionals: [SESSION],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions show 3f2a9c1b', says: 'its state, what it used and how to go on with it' }],
    load: () => import('../commands/sessions-show.ts'),
  },
  {
    words: ['sessions', 'rename'],
    group: 'Prompts',
    summary: 'Give a session a title',
    positionals: [SESSION, { name: 'title', says: 'The new title; an empty one takes it away' }],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions rename 3f2a9c1b "the parser"', says: 'a name to find it by' }],
    load: () => import('../commands/sessions-rename.ts'),
  },
  {
    words: ['sessions', 'tag', 'add'],
    group: 'Prompts',
    summary: 'Add tags to a session',
    positionals: [SESSION, { name: 'tag', says: 'A word of a-z, 0-9, _ and -', repeats: true }],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions tag add 3f2a9c1b review urgent', says: 'two tags' }],
    load: () => import('../commands/sessions-tag-add.ts'),
  },
  {
    words: ['sessions', 'tag', 'rm'],
    group: 'Prompts',
    summary: 'Take tags off a session',
    positionals: [
      SESSION,
      { name: 'tag', says: 'A tag; one that the session does not have is no error', repeats: true },
    ],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions tag rm 3f2a9c1b urgent', says: 'no longer urgent' }],
    load: () => import('../commands/sessions-tag-rm.ts'),
  },
  {
    words: ['sessions', 'export'],
    group: 'Prompts',
    summary: 'Write sessions as JSON, JSON lines or Markdown',
    description: `Without ids, every session that the flags let through. A file that exists is not replaced unless --force is given,
and nobody else can read a new one. Answers are not part of a session: the agents keep them.`,
    positionals: [{ ...SESSION, isOptional: true, repeats: true }],
    flags: [
      { name: 'format', value: 'FORMAT', says: 'json by default', choices: ['json', 'jsonl', 'markdown'] },
      { name: 'output', short: 'o', value: 'FILE', says: 'Write to a file instead of standard output, which is -' },
      { name: 'force', says: 'Replace the file if it exists' },
      ...FILTER_FLAGS,
    ],
    examples: [
      { line: 'drover sessions export --tag review --format markdown', says: 'to read' },
      { line: 'drover sessions export -o sessions.json', says: 'all of them, into a file' },
      { line: 'drover sessions export --format jsonl | jq .id', says: 'one a line' },
    ],
    load: () => import('../commands/sessions-export.ts'),
  },
  {
    words: ['sessions', 'delete'],
    group: 'Prompts',
    elsewhere: ['rm', 'remove', 'del'],
    summary: 'Delete sessions by id',
    description: 'Nothing is deleted if one of the ids is wrong. A session that is being worked on is not deleted.',
    positionals: [{ ...SESSION, repeats: true }],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover sessions delete 3f2a9c1b 77d0e412', says: 'two sessions' }],
    load: () => import('../commands/sessions-delete.ts'),
  },
  {
    words: ['sessions', 'clean'],
    group: 'Prompts',
    summary: 'Delete sessions that were not used for long',
    description: 'How long is session.retention_days of the config, unless --older-than says otherwise.',
    positionals: [],
    flags: [
      { name: 'older-than', value: 'AGE', says: 'Days, or an age such as 12h, 30d, 8w' },
      { name: 'all', says: 'Every session, however new; needs --yes' },
      { name: 'yes', says: 'Confirms --all' },
      { name: 'dry-run', says: 'Only say what would be deleted' },
      JSON_FLAG,
    ],
    examples: [
      { line: 'drover sessions clean --older-than 30d --dry-run', says: 'what would go' },
      { line: 'drover sessions clean', says: 'what the config says is old' },
      { line: 'drover sessions clean --all --yes', says: 'everything' },
    ],
    load: () => import('../commands/sessions-clean.ts'),
  },
]
