import { SESSION_STATUSES } from '../../sessions/session-statuses.ts'
import { commandsIn, type Flag, flag, type Positional } from '../command.ts'
import { BACKEND, JSON_FLAG } from '../words/shared-flags.ts'

export const SESSION: Positional = {
  name: 'session',
  description: 'Id of a session, or at least its first 4 characters',
  suggests: async (runtime) => (await import('./suggest-ids.ts')).suggestSessionIds(runtime),
}

const FILTER_FLAGS: readonly Flag[] = [
  { ...BACKEND, description: 'Only sessions of this agent' },
  flag('--status STATUS', 'Only sessions with this status', { choices: SESSION_STATUSES }),
  flag('--tag TAG', 'Only sessions with this tag'),
  flag('-m, --model NAME', 'Only sessions with this model'),
  flag('-w, --workdir DIR', 'Only sessions in this directory'),
  flag('--here', 'Only sessions in the current directory'),
  flag('--resumable', 'Only sessions that can be resumed'),
  flag('--search TEXT', 'Only sessions with this text in the title or first prompt, or an id that starts with it'),
  flag(
    '--since WHEN',
    'Only sessions used since then: a date (2026-01-31), an RFC 3339 timestamp, or an age (7d, 12h)',
  ),
  flag('--until WHEN', 'Only sessions last used before then'),
]

const PAGE_FLAGS: readonly Flag[] = [
  flag('-n, --limit N', 'Show at most N sessions, 0 for all (default: 20)', { integer: { min: 0, max: 1000 } }),
  flag('--offset N', 'Skip the first N sessions', { integer: { min: 0, max: 1_000_000_000 } }),
]

export const SESSION_COMMANDS = commandsIn({ group: 'Prompts' }, [
  {
    words: ['sessions', 'list'],
    isDefault: true,
    otherNames: ['ls'],
    summary: 'List sessions, most recently used first',
    description: 'The word "list" can be left out.',
    flags: [...FILTER_FLAGS, ...PAGE_FLAGS, JSON_FLAG],
    examples: {
      'drover sessions list --here': 'sessions in this directory',
      'drover sessions list -b codex --status error --since 7d': 'codex sessions that failed in the last 7 days',
      'drover sessions list --search parser --json': 'search and print JSON',
    },
    load: () => import('./sessions-command.ts'),
  },
  {
    words: ['sessions', 'show'],
    summary: 'Show all details of a session, and its turns',
    description:
      'Turns with prompts, answers and tool calls are shown if executions were kept (see the setting executions.keep).',
    positionals: [SESSION],
    flags: [JSON_FLAG],
    examples: {
      'drover sessions show 3f2a9c1b': 'its status, token usage and how to continue it',
    },
    load: () => import('./show-session.ts'),
  },
  {
    words: ['sessions', 'rename'],
    summary: 'Give a session a title',
    positionals: [SESSION, { name: 'title', description: 'New title; an empty one removes the title' }],
    flags: [JSON_FLAG],
    examples: {
      'drover sessions rename 3f2a9c1b "the parser"': 'set the title',
    },
    load: async () => ({ run: (await import('./edit-session.ts')).rename }),
  },
  {
    words: ['sessions', 'tag', 'add'],
    summary: 'Add tags to a session',
    positionals: [SESSION, { name: 'tag', description: 'Tag of a-z, 0-9, _ and -', repeats: true }],
    flags: [JSON_FLAG],
    examples: {
      'drover sessions tag add 3f2a9c1b review urgent': 'add two tags',
    },
    load: async () => ({ run: (await import('./edit-session.ts')).addTags }),
  },
  {
    words: ['sessions', 'tag', 'rm'],
    summary: 'Remove tags from a session',
    positionals: [
      SESSION,
      { name: 'tag', description: 'Tag to remove; a tag that the session does not have is ignored', repeats: true },
    ],
    flags: [JSON_FLAG],
    examples: {
      'drover sessions tag rm 3f2a9c1b urgent': 'remove one tag',
    },
    load: async () => ({ run: (await import('./edit-session.ts')).removeTags }),
  },
  {
    words: ['sessions', 'share'],
    summary: 'Show a session to every API key of a server',
    description:
      'Every key can then read, resume and fork it. Otherwise a session is visible to the key that started it, to operators and to you.',
    positionals: [SESSION],
    flags: [JSON_FLAG],
    examples: {
      'drover sessions share 3f2a9c1b': 'let other people resume it',
    },
    load: async () => ({ run: (await import('./edit-session.ts')).share }),
  },
  {
    words: ['sessions', 'unshare'],
    summary: 'Hide a shared session from other API keys',
    positionals: [SESSION],
    flags: [JSON_FLAG],
    examples: {
      'drover sessions unshare 3f2a9c1b': 'only its own key and operators see it',
    },
    load: async () => ({ run: (await import('./edit-session.ts')).unshare }),
  },
  {
    words: ['sessions', 'export'],
    summary: 'Export sessions as JSON, JSON lines or Markdown',
    description: `Without ids, exports all sessions that match the flags. An existing file is replaced only with --force. Only you can read
a new file. Turns with prompts and answers are included if executions were kept (see the setting executions.keep).`,
    positionals: [{ ...SESSION, isOptional: true, repeats: true }],
    flags: [
      flag('--format FORMAT', 'Output format (default: json)', { choices: ['json', 'jsonl', 'markdown'] }),
      flag('-o, --output FILE', 'Write to this file (default: -, standard output)'),
      flag('--force', 'Replace the file if it exists'),
      ...FILTER_FLAGS,
    ],
    examples: {
      'drover sessions export --tag review --format markdown': 'export tagged sessions as a document',
      'drover sessions export -o sessions.json': 'export all sessions to a file',
      'drover sessions export --format jsonl | jq .id': 'one session per line',
    },
    load: () => import('./export.ts'),
  },
  {
    words: ['sessions', 'delete'],
    otherNames: ['rm', 'remove', 'del'],
    summary: 'Delete sessions by id',
    description: 'If one of the ids is wrong, nothing is deleted. An active session is not deleted.',
    positionals: [{ ...SESSION, repeats: true }],
    flags: [JSON_FLAG],
    examples: {
      'drover sessions delete 3f2a9c1b 77d0e412': 'delete two sessions',
    },
    load: async () => ({ run: (await import('./edit-session.ts')).remove }),
  },
  {
    words: ['sessions', 'clean'],
    summary: 'Delete sessions that have not been used for some time',
    description: 'The default age is session.retention_days in the config.',
    flags: [
      flag('--older-than AGE', 'Age in days, or with a unit: 12h, 30d, 8w'),
      flag('--all', 'Delete all sessions; needs --yes'),
      flag('--yes', 'Confirm --all'),
      flag('--dry-run', 'Show what would be deleted'),
      JSON_FLAG,
    ],
    examples: {
      'drover sessions clean --older-than 30d --dry-run': 'show what would be deleted',
      'drover sessions clean': 'use the age in the config',
      'drover sessions clean --all --yes': 'delete all sessions',
    },
    load: async () => ({ run: (await import('./edit-session.ts')).clean }),
  },
])
