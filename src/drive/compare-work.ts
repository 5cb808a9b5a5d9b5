/** Gathers what is known about the work of an action, and compares the claims of its outcome with it. */
import { posix } from 'node:path'
import type { Outcome } from '../contract/outcome.shape.ts'
import { hasChangedFiles, testChanges } from './decide/check-results.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import { findSecrets, findTellingLines } from './evidence/changed-files/find-telling-lines.ts'
import { isManifest } from './evidence/changed-files/judge-configuration.ts'
import { type FileChange, isTestPath } from './evidence/changed-tests/judge-test-change.ts'
import { compareClaims, fromFolder, type Traced, toRelative } from './evidence/compare-claims.ts'
import { type FlagFacts, findFlags, isRunBy } from './evidence/find-review-flags.ts'
import { changedUnseen, unreadPaths } from './evidence/tree.ts'
import {
  changedSince,
  committedSince,
  fileChange,
  historySince,
  ignoredPaths,
  linkTarget,
  observeWholeTree,
  pathsBetween,
  textAt,
  textNow,
} from './observe-tree.ts'
import { roundsOf } from './read-verdict.ts'
import type { Tree } from './record/drive-event.shape.ts'
import { type Attempt, attemptsAt, type DriveState } from './record/drive-state.ts'

/** Of edits that git does not show. */
const MAX_EDITS = 200

/** Records the evidence about the outcome of an attempt. */
export async function compareWork(
  context: DriveContext,
  { attempt, outcome }: { attempt: Attempt; outcome: Outcome },
): Promise<void> {
  const { implementation: reported } = outcome
  if (reported === null || reported === undefined) return
  const state = readDriveState(context)
  const attempts = attemptsAt(state, attempt.action_id)
  const beginOfRound = (state.attempts[0] ?? attempt).tree
  const beginOfAction = (attempts[0] ?? attempt).tree
  const unjudged = (firstUnjudged(state, attempt) ?? attempt).tree
  // A list that was cut does not show what was changed before.
  const begin = beginOfAction.is_cut ? beginOfRound : beginOfAction
  const { tree: now, hidden } = await observeWholeTree(context)
  const changed = await pathsBetween(context, begin, now)
  const flagged = await pathsBetween(context, unjudged.is_cut ? beginOfRound : unjudged, now)
  const root = context.runs.workspace.worktree_root
  const changedInRun = await pathsBetween(context, beginOfRun(context, state) ?? beginOfRound, now)
  const toRootPath = fromFolder(state.place.folder, changedInRun)
  const implementation = { ...reported, files_changed: reported.files_changed.map(toRootPath) }
  const trace = attempts.flatMap(({ execution_id, ended }) =>
    (ended?.trace ?? []).map((entry): Traced => {
      const named = entry.did === 'edit' ? { ...entry, paths: entry.paths.map(toRootPath) } : entry
      return { ...named, execution_id }
    }),
  )
  const claims = compareClaims(implementation, {
    root,
    changed: begin.is_cut ? changed.filter((path) => Object.hasOwn(begin.paths, path)) : changed,
    changedInRun,
    isComplete: !begin.is_cut,
    unread: unreadPaths(now),
    ignored: await ignoredPaths(context, implementation.files_changed),
    trace,
    checks: attempt.checks,
  })
  const leftOut = (now.left_out ?? 0) - (beginOfRound.left_out ?? 0)
  const edited = unseenEdits(trace, root, flagged)
  const old = new Set([...(await changedSince(context, beginOfRound.head)), ...hidden])
  const changes = await readChanges(context, { paths: flagged, old, commit: beginOfRound.head })
  const checkedByDrover = attempt.checks.map(({ command }) => command)
  const commands = [...checkedByDrover, ...implementation.activities.map(({ command }) => command)]
  const flags = findFlags({
    ...changes,
    root,
    implementation,
    claims,
    trace,
    changed: flagged,
    changedInRun,
    old,
    ignored: await ignoredPaths(context, edited.slice(0, MAX_EDITS)),
    unseenConfiguration: changedUnseen(unjudged, now),
    hidden: flagged.filter((path) => hidden.has(path)),
    history: await historySince(context, beginOfRound.head),
    checkPrograms: flagged.filter(
      (path) => old.has(path) && isRunBy(commands, posix.relative(state.place.folder ?? '', path)),
    ),
    checkedByDrover,
    checkedTests: attempt.checks.map((run) => ({ command: run.command, tests: testChanges(run, state.baseline) })),
    warnings: attempts.flatMap(({ ended }) => ended?.warnings ?? []),
    gaps: [
      ...(leftOut > 0 ? [`a sparse checkout leaves out more files than before: ${leftOut}`] : []),
      ...(beginOfAction.is_cut || unjudged.is_cut
        ? ['too many files were changed before this action to tell which it changed']
        : []),
      ...describeGaps(now, edited),
    ],
  })
  record(context, 'evidence', { attempt: attempt.attempt, claims, flags })
}

/** The tree before the first attempt of all rounds: what an earlier round changed is part of the work. */
function beginOfRun({ runs }: DriveContext, state: DriveState): Tree | undefined {
  return roundsOf(runs.store, state).findLast(({ attempts }) => attempts.length > 0)?.attempts[0]?.tree
}

/** What was too much to look at. */
function describeGaps({ configuration_is_cut: isCut }: Tree, edited: readonly string[]): string[] {
  return [
    ...(isCut ? ['there are too many files to find all settings of agents that git ignores'] : []),
    ...(edited.length > MAX_EDITS ? [`git was asked about only ${MAX_EDITS} of ${edited.length} edited files`] : []),
  ]
}

/** The first attempt of which no evidence tells what it changed: at this action, or at one before that only asked. */
function firstUnjudged(state: DriveState, { action_id }: Attempt): Attempt | undefined {
  const isJudged = (each: Attempt) => attemptsAt(state, each.action_id).at(-1)?.evidence !== undefined
  const isOfAction = (each: Attempt) => each.action_id === action_id
  return state.attempts.find((each) => isOfAction(each) || (hasChangedFiles(each) && !isJudged(each)))
}

/** The files that an editing tool wrote in the worktree, and that git does not show as changed. */
function unseenEdits(trace: readonly Traced[], root: string, changed: readonly string[]): string[] {
  const edited = trace.flatMap((entry) => (entry.did === 'edit' ? entry.paths : []))
  const inside = edited.map((path) => toRelative(path, root)).filter((path) => path !== undefined)
  const seen = new Set(changed)
  return [...new Set(inside)].filter((path) => !seen.has(path))
}

const MAX_TESTS = 200
/** Of the tests together, before and after: they are read character by character. */
const MAX_TEST_CHARACTERS = 8 * 1024 * 1024
const MAX_MANIFESTS = 100
/** In which secrets are looked for. */
const MAX_FILES = 2000
const SECRETS_LIMIT_BYTES = 16 * 1024 * 1024
/** Files in commits of the agent: each is read from git. */
const MAX_COMMITTED = 200

type Changed = {
  readonly paths: readonly string[]
  /** Those of them, at least, that were there before. */
  readonly old: ReadonlySet<string>
  /** The commit that the run started from. */
  readonly commit: string
}

type ReadChanges = Pick<FlagFacts, 'tests' | 'manifests' | 'links' | 'secrets' | 'tellingLines' | 'tooLarge'>

/** Files that were there before come first: there is not room for everything. */
async function readChanges(context: DriveContext, { paths, old, commit }: Changed): Promise<ReadChanges> {
  const root = context.runs.workspace.worktree_root
  const oldFirst = [...paths.filter((path) => old.has(path)), ...paths.filter((path) => !old.has(path))]
  const tests = oldFirst.filter(isTestPath)
  const manifests = oldFirst.filter((path) => isManifest(path))
  const read = (some: readonly string[]) => Promise.all(some.map((path) => fileChange(context, path, commit)))
  const readTests = withinLimit(await read(tests.slice(0, MAX_TESTS)))
  const committed = await committedSince(context, commit)
  const some = { paths: oldFirst.slice(0, MAX_FILES), commit }
  const oldTests = tests.filter((path) => old.has(path)).length
  return {
    tests: readTests,
    manifests: await read(manifests.slice(0, MAX_MANIFESTS)),
    links: paths.flatMap((path) => {
      const target = linkTarget(root, path)
      return target === undefined ? [] : [{ path, target }]
    }),
    secrets: [
      ...(await findInFiles(context, { ...some, limitBytes: SECRETS_LIMIT_BYTES }, findSecrets)),
      ...(await secretsInCommits(context, committed.slice(0, MAX_COMMITTED))),
    ],
    tellingLines: await findInFiles(context, some, (change) => findTellingLines(change, root)),
    tooLarge: [
      ...tooMany('tests', oldTests, readTests.length),
      ...tooMany('build files', manifests.length, MAX_MANIFESTS),
      ...tooMany('files', paths.length, MAX_FILES),
      ...tooMany('files in commits', committed.length, MAX_COMMITTED),
    ],
  }
}

function withinLimit(tests: readonly FileChange[]): FileChange[] {
  let characters = 0
  return tests.filter(({ before = '', after = '' }) => {
    characters += before.length + after.length
    return characters <= MAX_TEST_CHARACTERS
  })
}

function tooMany(what: string, count: number, limit: number): string[] {
  return count > limit ? [`only ${limit} of ${count} changed ${what} were looked at`] : []
}

/** Git is asked only about a file in which there seems to be one. */
async function findInFiles<F extends object>(
  context: DriveContext,
  { paths, commit, limitBytes }: { paths: readonly string[]; commit: string; limitBytes?: number },
  find: (change: { path: string; before?: string | undefined; after: string | undefined }) => readonly F[],
): Promise<({ path: string } & F)[]> {
  const root = context.runs.workspace.worktree_root
  const found: ({ path: string } & F)[] = []
  for (const path of paths) {
    const after = textNow(root, path, limitBytes)
    if (after === undefined || find({ path, after }).length === 0) continue
    const { before } = await fileChange(context, path, commit)
    found.push(...find({ path, before, after }).map((each) => ({ path, ...each })))
  }
  return found
}

/** What one commit adds and a later one removes is not in the worktree, but in the history that is delivered. */
async function secretsInCommits(
  context: DriveContext,
  committed: readonly { readonly commit: string; readonly path: string }[],
): Promise<FlagFacts['secrets']> {
  const found: FlagFacts['secrets'][number][] = []
  for (const { commit, path } of committed) {
    const secrets = findSecrets({ path, after: await textAt(context, path, commit) })
    found.push(...secrets.map(({ what }) => ({ path, what: `${what}, in the commit ${commit.slice(0, 12)}` })))
  }
  return found
}
