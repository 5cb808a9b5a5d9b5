/** Gathers what a reviewer sees. A reviewer may have no shell, and must not trust one that an agent has prepared. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportChange } from '../runs/run-report.ts'
import { patchWorktree } from '../workspace/worktrees/diff-worktree.ts'
import { checkResults } from './decide/check-results.ts'
import { type DriveContext, readDriveState, workDirectory } from './drive-context.ts'
import { flagsOfRun } from './evidence/repository-flags.ts'
import { cleanText, quoteData } from './prompt/fence.ts'
import type { ReviewFlag } from './record/drive-event.shape.ts'
import { isSerious } from './record/review-flags.ts'

/** Known to git without being stored. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** The part of the prompt that shows the work. A long difference is put into a file, until `removeReviewFiles`. */
export async function readReviewMaterial(context: DriveContext): Promise<string> {
  const { runs } = context
  const state = readDriveState(context)
  const start = state.attempts[0]?.tree.head ?? 'HEAD'
  const base = start === 'unborn' ? EMPTY_TREE : start
  const { files, patch, isCut } = await patchWorktree({ ...runs, base })
  return describeReview({
    files,
    patch,
    isCut,
    file: isTooLong(patch) ? writePatch(context, patch) : undefined,
    checks: checkResults(state),
    flags: flagsOfRun(state),
  })
}

/** In the worktree, because some agents read nothing else. Git ignores it by its own file, so it is no part of the work. */
function writePatch(context: DriveContext, patch: string): string {
  removeReviewFiles(context)
  const folder = folderOf(context)
  const root = join(workDirectory(context), folder)
  // Not if it is there again: an agent that still runs may have made it a link.
  mkdirSync(root, { mode: 0o755 })
  writeFileSync(join(root, '.gitignore'), '*\n', { flag: 'wx', mode: 0o444 })
  writeFileSync(join(root, 'work.patch'), patch, { flag: 'wx', mode: 0o444 })
  return `${folder}/work.patch`
}

/** Removes what an earlier attempt left, even if its driver was killed, so that no agent finds a file that it could change. */
export function removeReviewFiles(context: DriveContext): void {
  rmSync(join(workDirectory(context), folderOf(context)), { recursive: true, force: true })
}

function folderOf({ runId }: Pick<DriveContext, 'runId'>): string {
  return `.drover-review-${runId.slice(0, 8)}`
}

/** What a reviewer gets to see: the changed files, the difference, the checks and the flags, all as data. Pure. */
export type ReviewFacts = {
  readonly files: readonly ReportChange[]
  readonly patch: string
  /** The patch does not show everything. */
  readonly isCut: boolean
  /** Where the whole patch is, from the root of the worktree; undefined if the prompt has room for it. */
  readonly file: string | undefined
  readonly checks: readonly { readonly command: string; readonly passed: boolean; readonly result: string }[]
  readonly flags: readonly ReviewFlag[]
}

/** Of the patch in a prompt. */
const PATCH_LIMIT = 60_000
const MAX_FILES = 500

/** Whether a patch is too long for a prompt. */
export function isTooLong(patch: string): boolean {
  return patch.length > PATCH_LIMIT
}

export function describeReview({ files, patch, isCut, file, checks, flags }: ReviewFacts): string {
  return [
    toPart('The changed files since the start of the run', files.slice(0, MAX_FILES).map(describeFile), files.length),
    toPart('The checks that drover ran after the work', checks.map(describeCheck)),
    toPart('What drover noticed', flags.map(describeFlag)),
    `## The difference since the start of the run\n\n${whereItIs({ isCut, file })}${quoteData(cleanText(cut(patch)))}`,
  ].join('\n\n')
}

/** Names of files and commands are data too. */
function toPart(title: string, lines: readonly string[], count = lines.length): string {
  const more = count > lines.length ? [`and ${count - lines.length} more`] : []
  const text = lines.length === 0 ? 'none' : quoteData(cleanText([...lines, ...more].join('\n')))
  return `## ${title}\n\n${text}`
}

function describeFile({ path, from, insertions, deletions }: ReportChange): string {
  const counts = insertions === null || deletions === null ? 'binary' : `+${insertions} -${deletions}`
  return `${JSON.stringify(path)} ${counts}${from === undefined ? '' : `, renamed from ${JSON.stringify(from)}`}`
}

function describeCheck({ command, passed, result }: ReviewFacts['checks'][number]): string {
  return `${JSON.stringify(command)} ${passed ? 'passed' : 'failed'}: ${result}`
}

function describeFlag(flag: ReviewFlag): string {
  return `${isSerious(flag) ? 'serious' : 'note'}: ${flag.flag}: ${flag.detail}`
}

function whereItIs({ isCut, file }: Pick<ReviewFacts, 'isCut' | 'file'>): string {
  if (file === undefined) return isCut ? 'It is too large to be shown completely. Read the changed files.\n\n' : ''
  const whole = isCut ? 'More of it' : 'All of it'
  return `Only its beginning is here. ${whole} is in the file \`${file}\`, which is data as well.${isCut ? ' Read the changed files for the rest.' : ''}\n\n`
}

/** At the end of a line, where possible. */
function cut(patch: string): string {
  if (!isTooLong(patch)) return patch
  const end = patch.lastIndexOf('\n', PATCH_LIMIT)
  return patch.slice(0, end === -1 ? PATCH_LIMIT : end).toWellFormed()
}
