/**
 * Measures a submit against starting Node and calling git in the same way, a submit in a long run against one in a short
 * run, and a list of many runs.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { EXAMPLES } from '../scripts/protocol-examples.ts'
import type { Action } from '../src/contract/action.shape.ts'
import type { Outcome } from '../src/contract/outcome.shape.ts'
import type { Decision } from '../src/engine/decision.ts'
import { resume } from '../src/engine/operations/resume.ts'
import { stop } from '../src/engine/operations/skip-or-stop.ts'
import { submit } from '../src/engine/operations/submit.ts'
import type { Run } from '../src/engine/state/run.ts'
import { readRun } from '../src/journal/read-run.ts'
import { encodeRecord } from '../src/journal/record.ts'
import { toJournalPath } from '../src/journal/run-store.ts'
import { systemClock } from '../src/kit/clock.ts'
import { type Digest, digest } from '../src/kit/digest.ts'
import { randomIds } from '../src/kit/ids.ts'
import { openRunContext, type RunContext } from '../src/runs/run-context.ts'
import { startRun } from '../src/runs/start-run.ts'
import { discoverWorkspace } from '../src/workspace/discover-workspace.ts'
import { locateGit } from '../src/workspace/git.ts'
import { type Contender, formatTable, measure } from './measure.ts'
import { withPublished } from './published.ts'

/** The allowed ratios: a submit to the git calls alone, and a long run to a short one. */
const GOALS = { submit: 1.6, length: 1.5 }
const ROUNDS = 10
const [SHORT, LONG] = [10, 1000]
const RUNS = 200
/** The git calls of a submit: workspace discovery and observation. */
const QUESTIONS = [
  ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'],
  ['rev-parse', '--verify', '--quiet', 'HEAD'],
  ['ls-files', '--stage', '-z'],
  ['status', '--porcelain=v2', '-z', '--untracked-files=all'],
]

export async function benchRuns(): Promise<string> {
  return await withPublished(async (drover) => {
    const submits = await inTemporaryRepository((context) => benchSubmit(context, drover))
    const lists = await inTemporaryRepository((context) => benchList(context, drover))
    return `${submits}\n\n${lists}`
  })
}

async function inTemporaryRepository(work: (context: RunContext) => Promise<string>): Promise<string> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'drover-bench-')))
  try {
    return await work(await openContext(directory))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function benchSubmit(context: RunContext, drover: string): Promise<string> {
  const short = await prepareRun(context, { count: SHORT, decide: reportAction })
  const interrupted = await prepareRun(context, { count: LONG, decide: interruptAction })
  const reported = await prepareRun(context, { count: LONG, decide: reportAction })
  const name = `submit, ${LONG} actions, reported`
  const timings = await measure(
    [
      { name: 'node -e 0, and the git commands', once: () => askDirectly(context) },
      submitting(context, short, { drover, name: `submit, ${SHORT} actions` }),
      submitting(context, interrupted, { drover, name: `submit, ${LONG} actions, interrupted` }),
      submitting(context, reported, { drover, name }),
      withoutSnapshot(reported, submitting(context, reported, { drover, name: `${name}, run.json removed` })),
    ],
    ROUNDS,
  )
  return [
    `${formatTable('drover protocol submit', timings)}\n  goal: at most ${GOALS.submit.toFixed(2)}x, for the short run`,
    `${formatTable('The same, against a short run', timings.slice(1))}\n  goal: at most ${GOALS.length.toFixed(2)}x, unless run.json was removed`,
  ].join('\n\n')
}

async function benchList(context: RunContext, drover: string): Promise<string> {
  for (let count = 0; count < RUNS; count += 1) await startRun(context, REQUEST)
  const nothing = start('drover --version', [drover, '--version'])
  const list = ['status', '--root', context.workspace.worktree_root]
  const contenders = [nothing, start('status', [drover, ...list]), start('status --json', [drover, ...list, '--json'])]
  return formatTable(`drover status over ${RUNS} runs`, await measure(contenders, ROUNDS))
}

const REQUEST = { goal: 'Show the wind in knots', budget: 500, reviewEnabled: true }

async function openContext(root: string): Promise<RunContext> {
  const git = locateGit({ env: process.env, cwd: root })
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  const { signal } = new AbortController()
  const workspace = await discoverWorkspace({ start: root, git, signal })
  return openRunContext({ workspace, git, clock: systemClock, signal })
}

/** A run and its current action. */
type Prepared = { runId: string; action: Action; journal: string }

type Story = { count: number; decide: (run: Run) => Decision }

/** A run with `count` actions. Its journal is written at once, because submitting each would take an hour. */
async function prepareRun(context: RunContext, { count, decide }: Story): Promise<Prepared> {
  const { run_id: runId } = await startRun(context, REQUEST)
  const journal = toJournalPath(context.store, runId)
  let run = await readRun(context.store, runId, (begun) => begun)
  const lines: Buffer[] = [readFileSync(journal)]
  while (run.actions.length < count || run.current_action === undefined) {
    const decided = decide(run)
    if (decided.is !== 'changed') throw new Error(`the run is ${decided.is}`)
    const chain: Digest = JSON.parse(String(lines.at(-1))).chain
    lines.push(encodeRecord(decided.event, { sequence: lines.length, chain }))
    run = decided.run
  }
  writeFileSync(journal, Buffer.concat(lines))
  return { runId, action: run.current_action, journal }
}

/** Every action has an outcome, so later contexts are long: a hundred times as many bytes. */
function reportAction(run: Run): Decision {
  if (run.current_action === undefined) return resume(run, { budget: 1000 }, { ...facts(), revisionOf: () => '' })
  const outcome = outcomeOf(run.current_action)
  const submission = { actionId: outcome.action_id, outcome, payloadSha256: digest(outcome.action_id) }
  const gitFacts = { is: 'observed', git: run.current_git } as const
  return submit(run, submission, { ...facts(), gitFacts })
}

/** Every action is withdrawn by a stop, so contexts stay short. */
function interruptAction(run: Run): Decision {
  if (run.state === 'active') return stop(run, facts())
  return resume(run, { budget: 1000 }, { ...facts(), revisionOf: () => '' })
}

function facts() {
  return { now: new Date().toISOString(), actionId: randomIds.uuid() }
}

/** An outcome with a suggestion, so that the run continues. */
function outcomeOf(action: Action): Outcome {
  return {
    ...EXAMPLES.outcome,
    action_id: action.action_id,
    action_kind: action.kind,
    suggested_actions: [{ kind: 'clarify', brief: 'Continue.' }],
  } as Outcome
}

function askDirectly({ workspace }: RunContext): void {
  must('node', spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' }).status)
  for (const args of QUESTIONS) spawnSync('git', ['-C', workspace.worktree_root, ...args], { stdio: 'ignore' })
}

/** Submits the outcome of the current action each time, as a host does. */
function submitting(
  { workspace }: RunContext,
  prepared: Prepared,
  { drover, name }: { drover: string; name: string },
): Contender {
  const file = `${prepared.journal}.outcome.json`
  const place = ['--run', prepared.runId, '--root', workspace.worktree_root, '--outcome-file', file]
  return {
    name,
    prepare: () => writeFileSync(file, JSON.stringify(outcomeOf(prepared.action))),
    once: () => {
      const args = [drover, 'protocol', 'submit', ...place, '--action', prepared.action.action_id]
      const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
      must(name, status)
      prepared.action = JSON.parse(String(stdout)).action
    },
  }
}

/** Without a snapshot, as after a copy or an upgrade: the whole journal is read. */
function withoutSnapshot({ journal }: Prepared, contender: Contender): Contender {
  const prepare = () => {
    contender.prepare?.()
    rmSync(join(dirname(journal), 'run.json'))
  }
  return { ...contender, prepare }
}

function start(name: string, args: readonly string[]): Contender {
  return { name, once: () => must(name, spawnSync(process.execPath, args, { stdio: 'ignore' }).status) }
}

function must(name: string, status: number | null): void {
  if (status !== 0) throw new Error(`${name} exited ${status}`)
}
