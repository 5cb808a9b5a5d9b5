/** The commands of `next` as people type them: short words in place of the protocol. Pure. */
import type { NextVariant } from '../../contract/next.shape.ts'
import { quoteWord } from '../../kit/shell-words.ts'

export type PeopleWords = {
  /** Ready to paste, except for words in capitals. */
  line: string
  /** What it does. */
  says: string
}

/** Enough of a digest that it names no other request. */
const SHOWN_DIGEST_CHARACTERS = 16

type Facts = { name: string; digest: string }

const WORDS: Readonly<Record<string, (facts: Facts) => PeopleWords>> = {
  'submit-outcome-file': ({ name }) => ({ line: `drover drive ${name}`, says: 'let agents do the rest' }),
  'skip-action': ({ name }) => ({ line: `drover skip ${name}`, says: 'skip this action' }),
  'answer-decision': ({ name }) => ({ line: `drover answer ${name} "TEXT"`, says: 'answer the question' }),
  'confirm-destructive': ({ name, digest }) => ({
    line: `drover answer ${name} --confirm ${digest}`,
    says: 'allow exactly this, once',
  }),
  'decline-or-feedback': ({ name }) => ({ line: `drover answer ${name} "TEXT"`, says: 'decline, and say why' }),
  'resume-ad-hoc': ({ name }) => ({ line: `drover continue ${name}`, says: 'resume the run' }),
  'refresh-source': ({ name }) => ({
    line: `drover continue ${name}`,
    says: 'resume the run with the issue as it is now',
  }),
  'use-pinned-source': ({ name }) => ({
    line: `drover continue ${name} --use-pinned`,
    says: 'resume the run with the pinned issue',
  }),
  'keep-pinned': ({ name }) => ({ line: `drover continue ${name} --use-pinned`, says: 'keep the pinned issue' }),
  adopt: ({ name }) => ({ line: `drover continue ${name} --adopt`, says: 'work from the changed issue' }),
}

/** Undefined for a command that people have no shorter words for. `name` is the id of the run, or a beginning of it. */
export function toPeopleWords(
  { id, base_argv: argv }: NextVariant,
  { name, hasRoot }: { name?: string | undefined; hasRoot: boolean },
): PeopleWords | undefined {
  const runId = valueAfter(argv, '--run') ?? (argv[2] === 'resume' ? argv[3] : undefined)
  const digest = valueAfter(argv, '--scope-sha256')?.replace('sha256:', '').slice(0, SHOWN_DIGEST_CHARACTERS) ?? ''
  const words = WORDS[id]?.({ name: name ?? runId ?? 'RUN', digest })
  return words && withRoot(words, argv, { hasRoot })
}

/** Names the worktree of the command `argv`, if the user named one. */
export function withRoot(words: PeopleWords, argv: readonly string[], { hasRoot }: { hasRoot: boolean }): PeopleWords {
  const root = valueAfter(argv, '--root')
  return !hasRoot || root === undefined ? words : { ...words, line: `${words.line} --root ${quoteWord(root)}` }
}

function valueAfter(argv: readonly string[], flag: string): string | undefined {
  const at = argv.indexOf(flag)
  return at === -1 ? undefined : argv[at + 1]
}
