/** The commands that can follow, as people type them: short words in place of the protocol, and what each does. Pure. */
import type { NextVariant } from '../../contract/next.shape.ts'
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { countColumns, padToColumns } from './printable.ts'
import { type TextLayout, tableWidth } from './text-table.ts'
import { wrapWords } from './wrap-words.ts'

export type NextCommand = {
  /** Ready to paste, except for words in capitals. */
  line: string
  /** What it does. */
  says: string
}

/** First by the ids of the protocol, then those that only people have. */
const FOLLOW_UPS = {
  'submit-outcome-file': ['drover drive RUN', 'let agents do the rest'],
  'skip-action': ['drover skip RUN', 'skip this action'],
  'answer-decision': ['drover answer RUN "TEXT"', 'answer the question'],
  'confirm-destructive': ['drover answer RUN --confirm DIGEST', 'allow exactly this, once'],
  'decline-or-feedback': ['drover answer RUN "TEXT"', 'decline, and say why'],
  'resume-ad-hoc': ['drover continue RUN', 'resume the run'],
  'refresh-source': ['drover continue RUN', 'resume the run with the issue as it is now'],
  'use-pinned-source': ['drover continue RUN --use-pinned', 'resume the run with the pinned issue'],
  'keep-pinned': ['drover continue RUN --use-pinned', 'keep the pinned issue'],
  adopt: ['drover continue RUN --adopt', 'work from the changed issue'],
  drive: ['drover drive RUN', 'continue'],
  'drive-then': ['drover drive RUN', 'then continue'],
  'answer-instead': ['drover answer RUN "TEXT"', 'or say what to do without it; then drover drive RUN'],
  'drive-longer': ['drover drive RUN --actions 8', 'continue with 8 more'],
  'drive-in-background': ['drover drive RUN --detach', 'continue in the background'],
  'follow-background': ['drover drive RUN', 'follow it here; Ctrl-C leaves it running'],
  'answer-background': ['drover answer RUN "TEXT"', 'answer its question; the server then continues'],
  status: ['drover status RUN', 'see what it does, or what it waits for'],
  stop: ['drover stop RUN', 'stop the run; it can be resumed'],
  report: ['drover report RUN', 'what was done, and the evidence'],
  also: ['drover drive RUN --also "TEXT"', 'say what is missing; an agent continues on the same branch'],
  discard: ['drover discard RUN', 'discard what it left'],
} as const satisfies Record<string, readonly [line: string, says: string]>

type Values = { RUN?: string; DIGEST?: string }

export function followUp(id: keyof typeof FOLLOW_UPS, values: Values): NextCommand {
  const [line, says] = FOLLOW_UPS[id]
  const fill = (text: string) => text.replace(/\b(?:RUN|DIGEST)\b/g, (name) => values[name as keyof Values] ?? name)
  return { line: fill(line), says: fill(says) }
}

const SAYS: readonly (readonly [start: RegExp, says: string])[] = [
  [/^drover merge /, 'merge the work into your branch'],
  [/^drover report /, 'what was done, and the evidence'],
  [/^drover discard .* --undo$/, 'bring the branch back'],
  [/^drover answer /, 'answer it'],
  [/^drover continue /, 'keep the pinned issue'],
  [/^drover status .* --watch$/, 'follow it'],
  [/^drover status /, 'see the run that continues it'],
  [/^drover drive \S+ --check /, 'continue with a check that can run'],
  [/^drover drive \S+ --baseline /, 'continue although checks fail before the work'],
  [/^drover drive \S+ --/, 'continue with a higher limit'],
  [/^drover drive /, 'continue'],
]

/** The command that a verdict names. */
export function followUpOfVerdict({ next: line }: Pick<RunVerdict, 'next'>): NextCommand {
  return { line, says: SAYS.find(([start]) => start.test(line))?.[1] ?? '' }
}

/** Enough of a digest that it names no other request. */
const SHOWN_DIGEST_CHARACTERS = 16

/** Undefined for a command that people have no shorter words for. `name` is the id of the run, or a beginning of it. */
export function toFollowUp(
  { id, base_argv: argv }: NextVariant,
  { name, hasRoot }: { name?: string | undefined; hasRoot: boolean },
): NextCommand | undefined {
  if (!Object.hasOwn(FOLLOW_UPS, id)) return undefined
  const runId = valueAfter(argv, '--run') ?? (argv[2] === 'resume' ? argv[3] : undefined)
  const digest = valueAfter(argv, '--scope-sha256')?.replace('sha256:', '').slice(0, SHOWN_DIGEST_CHARACTERS) ?? ''
  const found = followUp(id as keyof typeof FOLLOW_UPS, { RUN: name ?? runId ?? 'RUN', DIGEST: digest })
  return withRoot(found, argv, { hasRoot })
}

/** Names the worktree of the command `argv`, if the user named one. */
export function withRoot(found: NextCommand, argv: readonly string[], { hasRoot }: { hasRoot: boolean }): NextCommand {
  const root = valueAfter(argv, '--root')
  return !hasRoot || root === undefined ? found : { ...found, line: `${found.line} --root ${quoteWord(root)}` }
}

function valueAfter(argv: readonly string[], flag: string): string | undefined {
  const at = argv.indexOf(flag)
  return at === -1 ? undefined : argv[at + 1]
}

const DECISIONS = ['answer-decision', 'confirm-destructive', 'decline-or-feedback', 'keep-pinned', 'adopt']

/** What lets a driven run continue: the decisions that it waits for, and `drover drive`, which resumes it. */
export function followUpsOfDrive({ next, pause_reason }: RunOutline, name: string): NextCommand[] {
  if (pause_reason === 'environment_unavailable')
    return [followUp('drive', { RUN: name }), followUp('answer-instead', { RUN: name })]
  if (pause_reason === 'budget_exhausted') return [followUp('drive-longer', { RUN: name })]
  const decisions = next.variants.flatMap((variant) =>
    DECISIONS.includes(variant.id) ? (toFollowUp(variant, { name, hasRoot: false }) ?? []) : [],
  )
  return [...decisions, followUp(decisions.length === 0 ? 'drive' : 'drive-then', { RUN: name })]
}

const LINE_COLUMNS = 36

/** A command, and what it does: beside it if both fit, else below it. */
export function formatFollowUp({ line, says }: NextCommand, out: TextLayout): string[] {
  const fits = countColumns(line) <= LINE_COLUMNS && 4 + LINE_COLUMNS + countColumns(says) <= tableWidth(out)
  if (fits) return [`  ${out.style('cyan', padToColumns(line, LINE_COLUMNS))}  ${out.style('dim', says)}`]
  const below = wrapWords(`      ${says}`, tableWidth(out), { keepsPaths: true })
  return [`  ${out.style('cyan', line)}`, ...below.map((each) => out.style('dim', each))]
}
