/** Reads what the flags need to know about changed files. */

import type { DriveContext } from './drive-context.ts'
import { findSecrets } from './evidence/changed-files/find-secrets.ts'
import { findTellingLines } from './evidence/changed-files/find-telling-lines.ts'
import { isManifest } from './evidence/changed-files/judge-configuration.ts'
import { type FileChange, isTestPath } from './evidence/changed-tests/judge-test-change.ts'
import type { FlagFacts } from './evidence/find-review-flags.ts'
import { committedSince, fileChange, linkTarget, textAt, textNow } from './observe-tree.ts'

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
export async function readChanges(context: DriveContext, { paths, old, commit }: Changed): Promise<ReadChanges> {
  const root = context.runs.workspace.worktree_root
  const oldFirst = [...paths.filter((path) => old.has(path)), ...paths.filter((path) => !old.has(path))]
  const tests = oldFirst.filter(isTestPath)
  const manifests = oldFirst.filter((path) => isManifest(path))
  const read = (some: readonly string[]) => Promise.all(some.map((path) => fileChange(context, path, commit)))
  const readTests = withinLimit(await read(tests.slice(0, MAX_TESTS)))
  const committed = await committedSince(context, commit)
  const oldTests = tests.filter((path) => old.has(path)).length
  return {
    tests: readTests,
    manifests: await read(manifests.slice(0, MAX_MANIFESTS)),
    links: paths.flatMap((path) => {
      const target = linkTarget(root, path)
      return target === undefined ? [] : [{ path, target }]
    }),
    secrets: [
      ...(await secretsIn(context, oldFirst.slice(0, MAX_FILES), commit)),
      ...(await secretsInCommits(context, committed.slice(0, MAX_COMMITTED))),
    ],
    tellingLines: await tellingLinesIn(context, oldFirst.slice(0, MAX_FILES), commit),
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
async function secretsIn(
  context: DriveContext,
  paths: readonly string[],
  commit: string,
): Promise<FlagFacts['secrets']> {
  const root = context.runs.workspace.worktree_root
  const found: FlagFacts['secrets'][number][] = []
  for (const path of paths) {
    const after = textNow(root, path, SECRETS_LIMIT_BYTES)
    if (after === undefined || findSecrets(path, after, undefined).length === 0) continue
    const { before } = await fileChange(context, path, commit)
    found.push(...findSecrets(path, after, before).map((secret) => ({ path, ...secret })))
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
    const secrets = findSecrets(path, await textAt(context, path, commit), undefined)
    found.push(...secrets.map(({ what }) => ({ path, what: `${what}, in the commit ${commit.slice(0, 12)}` })))
  }
  return found
}

/** Git is asked only about a file in which there seems to be one. */
async function tellingLinesIn(
  context: DriveContext,
  paths: readonly string[],
  commit: string,
): Promise<FlagFacts['tellingLines']> {
  const root = context.runs.workspace.worktree_root
  const found: FlagFacts['tellingLines'][number][] = []
  for (const path of paths) {
    const after = textNow(root, path)
    if (after === undefined || findTellingLines({ path, before: undefined, after }, root).length === 0) continue
    const { before } = await fileChange(context, path, commit)
    found.push(...findTellingLines({ path, before, after }, root).map((line) => ({ path, ...line })))
  }
  return found
}
