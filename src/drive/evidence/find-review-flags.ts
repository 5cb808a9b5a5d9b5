/** What a person should look at: facts about the work that make its checks worth less. Pure. */
import { isAbsolute, join, normalize } from 'node:path/posix'
import type { Outcome } from '../../contract/outcome.shape.ts'
import { isAgentConfiguration } from '../../kit/agent-configuration.ts'
import type { Claim, ReviewFlag } from '../record/drive-event.shape.ts'
import { isSerious } from '../record/review-flags.ts'
import type { TestChange } from '../record/test-results.shape.ts'
import { judgeConfiguration } from './changed-files/judge-configuration.ts'
import { type FileChange, isTestPath, judgeTests } from './changed-tests/judge-test-change.ts'
import { type Traced, toRelative } from './compare-claims.ts'
import { listTests } from './compare-test-results.ts'
import { isSameLine, readCommandLine } from './find-command-run.ts'

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
  /** Everything that was changed in the run. */
  readonly changedInRun: readonly string[]
  /** The changed files that look like tests, with new ones. */
  readonly tests: readonly FileChange[]
  /** The changed files that say how to build the project, among them how to check it. */
  readonly manifests: readonly FileChange[]
  /** The changed symbolic links. */
  readonly links: readonly { readonly path: string; readonly target: string }[]
  readonly secrets: readonly { readonly path: string; readonly what: string; readonly line?: number }[]
  /** New lines that hold only here, or turn a check off. */
  readonly tellingLines: readonly { readonly path: string; readonly what: string; readonly line: number }[]
  /** What was committed since the start of the run. */
  readonly history: { readonly isDescendant: boolean; readonly commits: number }
  /** The changed files that checks name, and that were there before. */
  readonly checkPrograms: readonly string[]
  /** The commands that drover ran itself after the last edit. */
  readonly checkedByDrover: readonly string[]
  /** What became of the tests in them since before the work. */
  readonly checkedTests: readonly CheckedTests[]
  /** Warnings of the agent's runs. */
  readonly warnings: readonly string[]
  /** Why there may be more to flag. */
  readonly gaps: readonly string[]
  /** What the work changed, and is too much to look at. */
  readonly tooLarge: readonly string[]
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
    ...shorten(facts.secrets.map(toSecretFlag)),
    ...shorten(links(facts)),
    ...history(facts),
    ...staleChecks(facts),
    ...shorten(judgeTests(facts.tests)),
    ...findTestFlags(facts.checkedTests),
    ...shorten(judgeConfiguration(facts)),
    ...list('check_configuration_changed', facts.checkPrograms),
    ...shorten(facts.tellingLines.map(toLineFlag)),
    ...list('change_hidden_from_git', facts.hidden),
    ...list('change_ignored_by_git', facts.ignored),
    ...unreported(facts),
    ...facts.warnings
      .filter((warning) => DENIED.test(warning))
      .map((detail): ReviewFlag => ({ flag: 'tool_call_denied', detail })),
    ...facts.tooLarge.map((detail): ReviewFlag => ({ flag: 'change_too_large', detail })),
    ...facts.gaps.map((detail): ReviewFlag => ({ flag: 'evidence_incomplete', detail })),
  ]
}

/** It decides what the next agent there runs and is told. */
function agentConfiguration({ changed, unseenConfiguration }: FlagFacts): string[] {
  return [...changed.filter(isAgentConfiguration), ...unseenConfiguration]
}

function toSecretFlag({ path, what, line }: FlagFacts['secrets'][number]): ReviewFlag {
  const place = line === undefined ? path : `${path}:${line}`
  return { flag: 'secret_added', detail: `${place}: ${what}`, path, ...(line !== undefined && { line }) }
}

function toLineFlag({ path, what, line }: FlagFacts['tellingLines'][number]): ReviewFlag {
  return { flag: 'check_configuration_changed', detail: `${path}:${line}: ${what}`, path, line }
}

const SUBMODULES = '.gitmodules'

function links({ links: all, changed }: FlagFacts): ReviewFlag[] {
  const detail = `${SUBMODULES}: it names other repositories, whose files are checked out too`
  const submodules: ReviewFlag[] = changed.includes(SUBMODULES)
    ? [{ flag: 'link_leaves_repository', detail, path: SUBMODULES }]
    : []
  const leaving = all
    .filter(({ path, target }) => leavesRepository(path, target))
    .map(
      ({ path, target }): ReviewFlag => ({
        flag: 'link_leaves_repository',
        detail: `${path}: it is a link to ${target}`.toWellFormed(),
        path,
      }),
    )
  return [...submodules, ...leaving]
}

/** An absolute link does, wherever the repository is. */
function leavesRepository(path: string, target: string): boolean {
  const place = normalize(join(path, '..', target))
  return isAbsolute(target) || place === '..' || place.startsWith('../')
}

function history({ history: { isDescendant, commits } }: FlagFacts): ReviewFlag[] {
  const detail = 'the branch no longer contains the commit that the run started from'
  if (!isDescendant) return [{ flag: 'history_rewritten', detail }]
  const count = commits === 1 ? '1 commit was' : `${commits} commits were`
  return commits === 0 ? [] : [{ flag: 'committed_by_agent', detail: `${count} made during the run` }]
}

function list(flag: ReviewFlag['flag'], paths: readonly string[]): ReviewFlag[] {
  return shorten(paths.map((path) => ({ flag, detail: path, path })))
}

/** At most 20 of each kind. */
function shorten(flags: readonly ReviewFlag[]): ReviewFlag[] {
  return [...Map.groupBy(flags, ({ flag }) => flag)].flatMap(([flag, all]): ReviewFlag[] => {
    const more = all.length - MAX_LISTED
    return [...all.slice(0, MAX_LISTED), ...(more > 0 ? [{ flag, detail: `and ${more} more` }] : [])]
  })
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

const INTERPRETER = /^(?:\S*\/)?(?:(?:ba|da|z|k)?sh|node|deno|bun|tsx|python[\d.]*|ruby|perl|php)$/

/** Whether a check runs this file, as in `sh check.sh`. A file that a check only reads is no program. */
export function isRunBy(commands: readonly string[], path: string): boolean {
  return !isTestPath(path) && commands.some((command) => programsOf(command).some((word) => normalize(word) === path))
}

/** The first word of each part of a line, and the script that an interpreter gets. */
function programsOf(command: string): string[] {
  return command.split(/&&|[|;&()"']/).flatMap((part) => {
    const words = part.split(/\s+/).filter((word) => !/^(?:|env|exec|time|[A-Za-z_]\w*=.*)$/.test(word))
    const [program = '', ...rest] = words
    return INTERPRETER.test(program) ? rest.filter((word) => !word.startsWith('-')).slice(0, 1) : [program]
  })
}

function unreported({ implementation, changed, root }: FlagFacts): ReviewFlag[] {
  const reported = implementation.files_changed.map((path) => toRelative(path, root) ?? path)
  const missing = changed.filter((path) => !reported.some((each) => each === path || path.startsWith(`${each}/`)))
  return list('change_not_reported', missing)
}

type CheckedTests = { readonly command: string; readonly tests: readonly TestChange[] }

const FLAGS: Partial<Record<TestChange['change'], ReviewFlag['flag']>> = {
  failing_removed: 'failing_tests_removed',
  failing_skipped: 'failing_tests_skipped',
  removed: 'tests_removed',
  skipped: 'tests_skipped',
}

/** Tests that ran before the work and do not run any more. */
function findTestFlags(checks: readonly CheckedTests[]): ReviewFlag[] {
  return checks.flatMap(({ command, tests }) =>
    tests.flatMap((each): ReviewFlag[] => {
      const flag = FLAGS[each.change]
      return flag === undefined ? [] : [{ flag, detail: `${listTests(each)} (in ${command})` }]
    }),
  )
}
