import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import { locateGh } from '../../forge/gh.ts'
import { goalFileRequired, goalModeConflict } from '../../runs/faults.ts'
import { parseStart } from '../../runs/parse-request.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { startRun } from '../../runs/start-run.ts'
import { decodeGoal, GOAL_INPUT } from '../../runs/text-inputs.ts'
import { invalidSource } from '../../source/faults.ts'
import { fetchEnvelope } from '../../source/fetch-envelope.ts'
import { findIssueUrl } from '../../source/issue-address.ts'
import { readSource } from '../../source/read-source.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { readInput } from '../read-input.ts'
import type { TypedInputs, WorkspaceRef } from '../remedies.ts'
import { type Suggestion, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printRunChange } from './person-run.ts'
import { printChange, printState } from './print-change.ts'
import { readBudget, readEnvelopeFile } from './read-flags.ts'
import { formatStarted } from './run-text.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const { out } = runtime.terminal
    const [sourceFile, issue] = [flags.text('source-file'), flags.text('issue')]
    const givenBudget = readBudget(flags)
    if (sourceFile !== undefined && issue !== undefined) throw flagsConflict({ flags: ['--source-file', '--issue'] })
    const givenGoal = await readGoal(invocation)
    const { budget } = parseStart({ goal: givenGoal, budget: givenBudget, sourceFile })
    const reviewEnabled = !flags.isOn('no-review')
    const tryAgain: Suggestion = {
      next: (workspace) => startAgain(workspace, { budget, reviewEnabled, sourceFile, issue, goal: givenGoal }),
      typedInputs: typedFor(issue),
    }

    const context = await openRuns(command, runtime)
    const { goal, state } = await command.suggesting(tryAgain, async () => {
      const envelope = await findEnvelope(invocation, context)
      const reading = envelope && pin(envelope)
      const goal = givenGoal ?? envelope?.title ?? ''
      return { goal, state: await startRun(context, { goal, budget, reviewEnabled, reading }) }
    })
    command.runId = state.run_id
    if (flags.isOn('json')) await printState(out, state)
    else if (out.isTty) await printRunChange(invocation, { context, runId: state.run_id }, 'Started.')
    else await printChange(out, formatStarted(state, { goal, budget }))
    return 0
  })

/** The goal, unchanged. Undefined if only an issue was given: its title becomes the goal. */
async function readGoal({ args, flags, runtime }: Invocation): Promise<string | undefined> {
  const [words] = args
  const file = flags.text('goal-file')
  const modes = [words !== undefined, file !== undefined, flags.isOn('goal-stdin')].filter(Boolean)
  if (modes.length > 1) throw goalModeConflict({})
  if (words !== undefined) return words
  if (modes.length === 0) return flags.text('issue') === undefined ? '' : undefined
  if (file === '') throw goalFileRequired({})
  return decodeGoal(await readInput({ ...GOAL_INPUT, file, runtime }))
}

async function findEnvelope(
  { flags, runtime }: Invocation,
  { signal }: RunContext,
): Promise<RawSourceEnvelope | undefined> {
  const { cwd, env, clock } = runtime
  const [file, url] = [flags.text('source-file'), flags.text('issue')]
  if (url !== undefined) return await fetchEnvelope({ url, gh: locateGh({ env, cwd }), clock, signal })
  return file === undefined ? undefined : await readEnvelopeFile({ runtime, file, refuse: invalidSource })
}

function pin(envelope: RawSourceEnvelope) {
  const reading = readSource(envelope)
  if (reading.is === 'pinned') return reading
  throw invalidSource({ problem: reading.error, classification: reading.code })
}

/** People get their issue back, if it is one. */
function typedFor(issue = ''): TypedInputs {
  const url = findIssueUrl(issue)
  return url === undefined ? {} : { issue_url: url }
}

type StartOptions = {
  budget: number
  reviewEnabled: boolean
  sourceFile: string | undefined
  issue: string | undefined
  /** Undefined if the issue supplies it. */
  goal: string | undefined
}

/** The same command again. The goal is left out: it may be long, and other users can see the arguments of a process. */
function startAgain({ id, root }: WorkspaceRef, options: StartOptions): Next {
  const { budget, reviewEnabled } = options
  const values = { BUDGET: String(budget), ROOT: root, options: reviewEnabled ? [] : ['--no-review'] }
  return { operation: 'start', workspace_identity: id, variants: [makeVariant(variantFor(options), values)] }
}

function variantFor({ sourceFile, issue, goal }: StartOptions): string {
  if (issue !== undefined) return goal === undefined ? 'start-from-issue' : 'start-with-issue'
  return sourceFile === undefined ? 'retry-run' : 'start-with-source'
}
