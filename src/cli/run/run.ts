import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import { goalFileRequired, goalModeConflict } from '../../runs/faults.ts'
import { decodeGoal, GOAL } from '../../runs/given-text.ts'
import { toStart } from '../../runs/request-words.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { startRun } from '../../runs/start-run.ts'
import { invalidSource } from '../../source/faults.ts'
import { fetchEnvelope } from '../../source/fetch-envelope.ts'
import { locateGh } from '../../source/gh.ts'
import { readSource } from '../../source/read-source.ts'
import type { Invocation, Run } from '../command.ts'
import type { GivenInputs } from '../failures/advised-failure.ts'
import { flagsConflict } from '../faults.ts'
import { readInput } from '../read-input.ts'
import { readBudget } from './read-budget.ts'
import { readEnvelopeFile } from './read-envelope-file.ts'
import type { Place } from './run-advice.ts'
import { atDesk, type Expectation } from './run-desk.ts'
import { sayStarted } from './run-text.ts'
import { tellChange, tellState } from './tell-change.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { flags, runtime } = invocation
    const { out } = runtime.terminal
    const [sourceFile, issue] = [flags.text('source-file'), flags.text('issue')]
    const asked = readBudget(flags)
    if (sourceFile !== undefined && issue !== undefined) throw flagsConflict({ flags: ['--source-file', '--issue'] })
    const given = await readGoal(invocation)
    const { budget } = toStart({ goal: given, budget: asked, sourceFile })
    const reviewEnabled = !flags.isOn('no-review')
    const again: Expectation = {
      next: (place) => startAgain(place, { budget, reviewEnabled, sourceFile, issue }),
      ...(issue !== undefined && { given: givenAs(issue, given) }),
    }

    const context = await desk.open()
    const envelope = await desk.expecting(again, () => findEnvelope(invocation, context))
    const reading = await desk.expecting(again, () => envelope && pin(envelope))
    const goal = given ?? envelope?.title ?? ''
    const state = await desk.expecting(again, () => startRun(context, { goal, budget, reviewEnabled, reading }))
    desk.runId = state.run_id
    await (flags.isOn('json') ? tellState(out, state) : tellChange(out, sayStarted(state, { goal, budget })))
    return 0
  })

/** The goal, exactly as it was given. Without one an issue says by its title what is wanted. */
async function readGoal({ args, flags, runtime }: Invocation): Promise<string | undefined> {
  const [words] = args
  const file = flags.text('goal-file')
  const modes = [words !== undefined, file !== undefined, flags.isOn('goal-stdin')].filter(Boolean)
  if (modes.length > 1) throw goalModeConflict({})
  if (words !== undefined) return words
  if (modes.length === 0) return flags.text('issue') === undefined ? '' : undefined
  if (file === '') throw goalFileRequired({})
  return decodeGoal(await readInput({ ...GOAL, file, runtime }))
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

/** Programs are offered a file, for want of a variant that takes an issue. Without a goal its title is one. */
function givenAs(issue: string, goal: string | undefined): GivenInputs {
  return { source_file: ['--issue', issue], ...(goal === undefined && { goal_file: [] }) }
}

type Again = {
  budget: number
  reviewEnabled: boolean
  sourceFile: string | undefined
  issue: string | undefined
}

/** The same once more. The goal is never part of a command: it may be long, and others may read the list of processes. */
function startAgain({ id, root }: Place, { budget, reviewEnabled, sourceFile, issue }: Again): Next {
  const variant = sourceFile === undefined && issue === undefined ? 'retry-run' : 'start-with-source'
  const options = reviewEnabled ? [] : ['--no-review']
  const values = { BUDGET: String(budget), ROOT: root, options }
  return { operation: 'start', workspace_identity: id, variants: [makeVariant(variant, values)] }
}
