/** Gathers what shows who has changed a repository: the logs of its worktrees, the records of other runs, and contents of files. */
import { dirname, join, relative } from 'node:path'
import { listRunIds } from '../journal/run-store.ts'
import { tryTo } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { RepositoryChange, RepositoryState } from '../workspace/repository-state.ts'
import { commitsNotedSince } from '../workspace/worktree-heads.ts'
import { expiredRefs } from './decide/discarded-refs.ts'
import { type DriveContext, readDriveState, workDirectory } from './drive-context.ts'
import {
  type ChangeFacts,
  isOfOtherRun,
  judgeChanges,
  namesOthers,
  type RecordedRefs,
} from './evidence/judge-repository-changes.ts'
import { pathsBetween } from './observe-tree.ts'
import type { Act } from './record/act-state.ts'
import type { JudgedChange } from './record/drive-event.shape.ts'
import { readDrive } from './record/drive-journal.ts'
import type { DriveState } from './record/drive-state.ts'

type Place = Pick<DriveContext, 'runs' | 'runId' | 'journal'>

type Observed = {
  /** The number of the attempt. */
  readonly number: number
  /** Before it, and after it. */
  readonly saw: RepositoryState
  readonly sees: RepositoryState
}

const CONTENT_LIMIT_BYTES = 1024 * 1024
/** More files are not compared with the work of the agent. */
const MAX_COMPARED = 200

/** Everything that was compared, except branches that other runs have moved themselves. */
export async function attributeChanges(
  context: Place,
  changes: readonly RepositoryChange[],
  observed: Observed,
): Promise<JudgedChange[]> {
  const noted = notedIn(context, observed)
  const facts = await gatherFacts(context, changes, { ...observed, noted })
  // Inside of a boundary, the agent could not have changed what it named.
  const isNamed = facts.ownRef === undefined && namesOthers(facts)
  return judgeChanges(withoutOtherRuns(context, changes, { ...observed, noted, isNamed }), facts)
}

type Noted = { readonly noted: ReadonlyMap<string, ReadonlySet<string>> }

function withoutOtherRuns(
  context: Place,
  changes: readonly RepositoryChange[],
  { saw, sees, noted, isNamed }: Observed & Noted & { readonly isNamed: boolean },
): readonly RepositoryChange[] {
  // The agent may have worked in the worktree of another run.
  if (isNamed) return changes
  const { heads: before = {} } = saw
  const { heads: after = {}, refs } = sees
  const facts = { before, after, refs, own: ownGitDirectory(context), noted }
  const nothing = { put: new Map(), removed: new Map() }
  const left = changes.filter(
    (change) => !isOfOtherRun(change, { ...facts, recorded: nothing }) && !isSwept(context, change),
  )
  // A run whose work was delivered, merged or discarded may have no worktree. Its records are read only if they matter.
  if (!left.some(({ what }) => what === 'ref')) return left
  const recorded = recordedIn(context.runs)
  return left.filter((change) => !isOfOtherRun(change, { ...facts, recorded }))
}

/** Discarded work whose time is over. */
function isSwept({ runs: { clock } }: Place, { name, after }: RepositoryChange): boolean {
  return after === undefined && expiredRefs([name], clock.now()).length > 0
}

function ownGitDirectory({ runs: { workspace } }: Place): string {
  return relative(workspace.git_common_dir, workspace.git_dir) || '.'
}

/** The commits that git noted meanwhile in each worktree. Nothing is known about a state that an older version has saved. */
function notedIn({ runs }: Place, { saw, sees }: Observed): Map<string, Set<string>> {
  const { git_common_dir: directory } = runs.workspace
  const { heads: before } = saw
  if (before === undefined) return new Map()
  const names = Object.keys(sees.heads ?? {})
  return new Map(names.map((name) => [name, commitsNotedSince(directory, name, before[name]?.log ?? 0)]))
}

function recordedIn({ store }: DriveContext['runs']): RecordedRefs {
  const recorded = { put: new Map<string, Set<string>>(), removed: new Map<string, Set<string>>() }
  for (const id of listRunIds(store)) {
    for (const [did, ref, commit] of refsOf(tryTo(() => readDrive(store, id)))) {
      if (ref !== undefined && commit !== undefined)
        recorded[did].set(ref, new Set([...(recorded[did].get(ref) ?? []), commit]))
    }
  }
  return recorded
}

type RefRecord = readonly [did: keyof RecordedRefs, ref: string | undefined, commit: string | undefined]

function refsOf(drive: DriveState | undefined): RefRecord[] {
  if (drive === undefined) return []
  const { acts, delivered, discarded, followed, pushed } = drive
  const branch = delivered?.branch
  return [
    ['put', branchRef(branch), delivered?.commit],
    ...(followed === undefined ? [] : [['removed', branchRef(branch), pushed[0]] as const]),
    ...acts.flatMap((act) => refsOfAct(act, discarded === undefined)),
  ]
}

function refsOfAct({ type, data }: Act, isUndone: boolean): RefRecord[] {
  // A branch of the user is not explained by a merge: an agent could put it back to an earlier one.
  if (type === 'discard_undone') return [['put', branchRef(data.branch), data.commit]]
  if (type !== 'discarded') return []
  const { branch, commit, ref } = data
  const kept: RefRecord[] = isUndone ? [['removed', ref, commit]] : []
  return [['put', ref, commit], ['removed', branchRef(branch), commit], ...kept]
}

const branchRef = (branch: string | undefined) => branch && `refs/heads/${branch}`

async function gatherFacts(
  context: Place,
  changes: readonly RepositoryChange[],
  { number, saw, sees, noted }: Observed & Noted,
): Promise<ChangeFacts> {
  const { worktree_root: root, git_common_dir: gitCommonDir } = context.runs.workspace
  const { place, attempts } = readDriveState(context)
  const own = ownGitDirectory(context)
  const ofUser = [...noted].filter(([name]) => name !== own && sees.heads?.[name]?.is_ours !== true)
  const others = place.kind === 'in_place' ? [] : [place.repository, dirname(dirname(place.root))]
  const attempt = attempts.find((each) => each.attempt === number)
  const isInside = attempt?.is_inside === true && place.kind === 'worktree'
  return {
    ...(isInside && { ownRef: `refs/heads/${place.branch}` }),
    trace: attempt?.ended?.trace ?? [],
    root,
    directory: workDirectory(context),
    home: context.runs.git.env['HOME'],
    places: [...others, gitCommonDir],
    byUser: new Set(ofUser.flatMap(([, commits]) => [...commits])),
    isFetched: saw.fetched !== sees.fetched,
    refs: sees.refs,
    sameContent: await findSameContent(context, changes),
  }
}

/** The changed files of the user that have the same content as in the work of the agents. */
async function findSameContent(context: Place, changes: readonly RepositoryChange[]): Promise<Set<string>> {
  const files = changes.filter(({ what }) => what === 'file').map(({ name }) => name)
  const { place, attempts } = readDriveState(context)
  const [begin, end] = [attempts[0]?.tree, attempts.at(-1)?.ended?.tree]
  if (files.length === 0 || place.kind === 'in_place' || begin === undefined || end === undefined) return new Set()
  const work = new Set(await pathsBetween(context, begin, end))
  const both = files.filter((name) => work.has(name)).slice(0, MAX_COMPARED)
  const isSame = (name: string) => {
    const [one, other] = [contentOf(join(place.repository, name)), contentOf(join(place.root, name))]
    return one !== undefined && other?.equals(one) === true
  }
  return new Set(both.filter(isSame))
}

function contentOf(path: string): Buffer | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes: CONTENT_LIMIT_BYTES }))
}
