/** What a person should look at: facts about the work that make its checks worth less. Pure. */
import { normalize } from 'node:path/posix'
import type { Outcome } from '../../contract/outcome.shape.ts'
import { isAgentConfiguration } from '../../kit/agent-configuration.ts'
import type { Claim, ReviewFlag } from '../record/drive-event.shape.ts'
import { isSerious } from '../record/review-flags.ts'
import { type Traced, toRelative } from './compare-claims.ts'
import { isSameLine, readCommandLine } from './find-command-run.ts'

/** A changed file before and after the work; undefined if it did not or does not exist, or is not text. */
export type FileChange = {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

export type FlagFacts = {
  readonly root: string
  readonly implementation: NonNullable<Outcome['implementation']>
  readonly claims: readonly Claim[]
  readonly trace: readonly Traced[]
  readonly changed: readonly string[]
  /** Those of them, at least, that were there before. */
  readonly old: ReadonlySet<string>
  /** Files that editing tools wrote, and that git ignores. */
  readonly ignored: readonly string[]
  /** Changed settings and instructions of agents that git does not show. */
  readonly unseenConfiguration: readonly string[]
  /** Those of the changed that the index hides from git. */
  readonly hidden: readonly string[]
  /** The changed files that look like tests. */
  readonly tests: readonly FileChange[]
  /** The changed files that checks name, and that were there before. */
  readonly checkPrograms: readonly string[]
  /** The commands that drover ran itself after the last edit. */
  readonly checkedByDrover: readonly string[]
  /** Warnings of the agent's runs. */
  readonly warnings: readonly string[]
  /** Why there may be more to flag. */
  readonly gaps: readonly string[]
}

const MAX_LISTED = 20

/** Serious ones first. */
export function findFlags(facts: FlagFacts): ReviewFlag[] {
  const flags = findAll(facts)
  return [...flags.filter(isSerious), ...flags.filter((flag) => !isSerious(flag))]
}

function findAll(facts: FlagFacts): ReviewFlag[] {
  return [
    ...list('agent_configuration_changed', agentConfiguration(facts)),
    ...staleChecks(facts),
    ...facts.tests.flatMap(judgeTest),
    ...list('check_configuration_changed', checkConfiguration(facts)),
    ...list('change_hidden_from_git', facts.hidden),
    ...list('change_ignored_by_git', facts.ignored),
    ...unreported(facts),
    ...facts.warnings
      .filter((warning) => DENIED.test(warning))
      .map((detail): ReviewFlag => ({ flag: 'tool_call_denied', detail })),
    ...facts.gaps.map((detail): ReviewFlag => ({ flag: 'evidence_incomplete', detail })),
  ]
}

/** It decides what the next agent there runs and is told. */
function agentConfiguration({ changed, unseenConfiguration }: FlagFacts): string[] {
  return [...changed.filter(isAgentConfiguration), ...unseenConfiguration]
}

/** New files come last: they must not hide that an old one was changed. */
function checkConfiguration({ changed, checkPrograms, old }: FlagFacts): string[] {
  const paths = changed.filter((path) => isCheckConfiguration(path) || checkPrograms.includes(path))
  return [...paths.filter((path) => old.has(path)), ...paths.filter((path) => !old.has(path))]
}

function list(flag: ReviewFlag['flag'], paths: readonly string[]): ReviewFlag[] {
  const listed = paths.slice(0, MAX_LISTED)
  const more = paths.length - listed.length
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].map((detail) => ({ flag, detail }))
}

const DENIED = /^\d+ tool calls? (?:was|were) denied/

/** A check that ran before the last edit says nothing about the result. */
function staleChecks({ claims, trace, checkedByDrover, root }: FlagFacts): ReviewFlag[] {
  const checked = checkedByDrover.map((command) => readCommandLine(command, root))
  const isChecked = (command: string) => checked.some((line) => isSameLine(line, readCommandLine(command, root)))
  const lastEdit = trace.findLastIndex(({ did }) => did === 'edit')
  return claims.flatMap(({ about, subject, seq, execution_id }): ReviewFlag[] => {
    if (about !== 'activity' || isChecked(subject)) return []
    const at = trace.findIndex((entry) => entry.seq === seq && entry.execution_id === execution_id)
    return at !== -1 && at < lastEdit ? [{ flag: 'check_older_than_last_edit', detail: subject }] : []
  })
}

const TEST_PATH = /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|[./_-])(?:test|spec)s?\.[a-z]+$|(?:^|\/)test_[^/]*\.py$/i

export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path)
}

const SKIPS =
  /\b(?:it|test|describe|context|suite)\.(?:skip|todo)\b|\bx(?:it|describe|test)\s*\(|@pytest\.mark\.skip|@unittest\.skip|\bpytest\.skip\(|#\[ignore\]|\bt\.Skip(?:Now|f)?\(|@Disabled\b|@Ignore\b/g
const CASES =
  /\bx?(?:it|test)(?:\.\w+)*\s*[(`]|\bdef test_|#\[(?:tokio::)?test\]|\bfunc Test[A-Z_]|@Test\b|\b(?:assert|expect)\b/g

function judgeTest({ path, before, after }: FileChange): ReviewFlag[] {
  if (before === undefined) return []
  if (after === undefined) return [{ flag: 'test_deleted', detail: path }]
  const [cases, casesLeft] = [countMatches(CASES, before), countMatches(CASES, after)]
  if (cases > 0 && casesLeft === 0) return [{ flag: 'test_emptied', detail: path }]
  return countMatches(SKIPS, after) > countMatches(SKIPS, before) ? [{ flag: 'test_skipped', detail: path }] : []
}

function countMatches(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0
}

const CONFIGURATION =
  /(?:^|\/)(?:package\.json|tsconfig[^/]*\.json|(?:vitest|jest|playwright|karma|babel|eslint|prettier|biome|mocha|nyc|cypress)[^/]*\.(?:json|jsonc|[cm]?[jt]s|ya?ml|toml)|\.(?:eslintrc|mocharc|prettierrc|nycrc|flake8|pylintrc|rubocop)[^/]*|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|conftest\.py|noxfile\.py|mypy\.ini|ruff\.toml|Makefile|GNUmakefile|Rakefile|Cargo\.toml|clippy\.toml|go\.mod|\.golangci\.ya?ml|pom\.xml|build\.gradle(?:\.kts)?|phpunit\.xml[^/]*)$|(?:^|\/)\.github\/workflows\/|(?:^|\/)\.gitlab-ci\.yml$/

/** Whether a file decides what a check does. */
export function isCheckConfiguration(path: string): boolean {
  return CONFIGURATION.test(path)
}

/** Whether a check names this file, as in `sh check.sh`. */
export function isNamedBy(commands: readonly string[], path: string): boolean {
  return !isTestPath(path) && commands.some((command) => command.split(/\s/).some((word) => normalize(word) === path))
}

function unreported({ implementation, changed, root }: FlagFacts): ReviewFlag[] {
  const reported = implementation.files_changed.map((path) => toRelative(path, root) ?? path)
  const missing = changed.filter((path) => !reported.some((each) => each === path || path.startsWith(`${each}/`)))
  return list('change_not_reported', missing)
}
