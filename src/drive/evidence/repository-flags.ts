/** The flags of a run: what has changed in the repository while agents ran, and what the evidence about their work shows. Pure. */
import { listSome } from '../../kit/wording.ts'
import type { RepositoryChange } from '../../workspace/repository-state.ts'
import type { ReviewFlag } from '../record/drive-event.shape.ts'
import { type Attempt, type DriveState, judgedAttempts } from '../record/drive-state.ts'
import { isSerious } from '../record/review-flags.ts'

/** A later attempt does not undo what an earlier one did to the repository. */
export function flagsOfRun(state: Pick<DriveState, 'attempts'>): ReviewFlag[] {
  const { attempts } = state
  return [
    ...attempts.flatMap(({ repository_changed: changed }) => (changed === undefined ? [] : flagsOf(changed))),
    ...judgedAttempts(state).flatMap(({ evidence }) => evidence?.flags ?? []),
  ]
}

/** More than a person reads one by one. */
const SHOWN = 20
const SHOWN_NOTES = 5

type Changed = NonNullable<Attempt['repository_changed']>

export function flagsOf({ changes, count, attempt }: Changed): ReviewFlag[] {
  const when = `changed while the agent of attempt ${attempt} ran`
  const serious = changes.filter(({ note }) => note === undefined)
  const notes = changes.filter(({ note }) => note !== undefined)
  const flags = serious.slice(0, SHOWN).map(
    (change): ReviewFlag => ({
      flag: 'repository_changed',
      detail: `${describeChange(change)}, ${when}`,
      ...(change.what === 'file' && { path: change.name }),
    }),
  )
  // Changes that are restored are not listed either, so the number alone says nothing.
  const more = serious.length > SHOWN ? (notes.length === 0 ? count : serious.length) - SHOWN : 0
  return [
    ...flags,
    ...(more > 0 ? [{ flag: 'repository_changed' as const, detail: `and ${more} more, ${when}` }] : []),
    ...(notes.length === 0 ? [] : [noteAbout(notes, attempt)]),
  ]
}

/** One for all: a person who works meanwhile changes many files. */
function noteAbout(notes: Changed['changes'], attempt: number): ReviewFlag {
  const shown = listSome(notes.map(describeChange), SHOWN_NOTES)
  const detail = `while the agent of attempt ${attempt} ran; drover cannot tell who did it, but nothing ties it to the agent: ${shown}`
  return { flag: 'checkout_changed', detail }
}

/** In words, for a person. */
export function describeChange({ what, name, before, after, keys = [] }: RepositoryChange): string {
  const short = (value?: string) => (value === undefined ? 'none' : value.replace(/^([0-9a-f]{12})[0-9a-f]+$/, '$1'))
  const word = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  const said = {
    ref: `${name} ${short(before)} → ${short(after)}`,
    head: `HEAD of your worktree ${short(before)} → ${short(after)}`,
    config: `.git/${name}${keys.length === 0 ? '' : `: ${keys.join(', ')}`}`,
    hook: `.git/${name} ${word}`,
    git_file: `.git/${name} ${word}`,
    user_config: `${name} ${word}`,
    file: `${name} in your worktree`,
  }
  return said[what]
}

/** What a person should look at before using the work. */
export function seriousFlags(drive: DriveState): readonly ReviewFlag[] {
  return flagsOfRun(drive).filter(isSerious)
}

export function describeFlag({ flag, detail }: Pick<ReviewFlag, 'flag' | 'detail'>): string {
  return `${flag.replaceAll('_', ' ')}: ${detail}`
}
