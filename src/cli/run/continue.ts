/** `drover continue`: resumes a run, with the current version of its issue unless the user chooses otherwise. */

import { locateGh } from '../../forge/gh.ts'
import { invalidSourceCandidate } from '../../runs/faults.ts'
import { parseResume } from '../../runs/parse-request.ts'
import { type ResumeOptions, resumeRun } from '../../runs/resume-run.ts'
import { fetchEnvelope } from '../../source/fetch-envelope.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { openPersonRun, type PersonRun, printChangedRun } from './person-run.ts'
import { readBudget, readEnvelopeFile } from './read-flags.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const givenBudget = readBudget(flags)
    refuseConflict(invocation)
    const { budget } = parseResume({ ...NO_SOURCE, budget: givenBudget, sourceFile: flags.text('source-file') })
    const found = await openPersonRun(command, await openRuns(command, runtime), { given: args[0], intent: 'continue' })
    const options = await chooseSource(invocation, found)
    const state = await resumeRun(found.context, found.run.id, { ...options, budget })
    await printChangedRun(invocation, found.context, { state, sentence: sentenceFor(state.state) })
    return 0
  })

function sentenceFor(state: string): string {
  return state === 'active' ? 'Resumed.' : 'The issue has changed: the run waits for your choice.'
}

const NO_SOURCE = { usePinnedSource: false, sourceChoice: undefined, candidate: undefined }

function refuseConflict({ flags }: Invocation): void {
  const given = [
    ...(flags.isOn('use-pinned') ? ['--use-pinned'] : []),
    ...(flags.isOn('adopt') ? ['--adopt'] : []),
    ...(flags.text('source-file') === undefined ? [] : ['--source-file']),
  ]
  const [one, other] = given
  if (one !== undefined && other !== undefined) throw flagsConflict({ flags: [one, other] })
}

/** What the engine is told about the issue. It refuses a choice that does not fit the run. */
async function chooseSource({ flags, runtime }: Invocation, { run, context }: PersonRun): Promise<ResumeOptions> {
  const { source_candidate: candidate, pinned_source: source } = run
  const file = flags.text('source-file')
  if (candidate !== undefined && (flags.isOn('adopt') || flags.isOn('use-pinned'))) {
    return { choice: flags.isOn('adopt') ? 'adopt' : 'pinned', candidateId: candidate.candidate_id }
  }
  if (flags.isOn('adopt')) return { choice: 'adopt' }
  if (flags.isOn('use-pinned')) return { usePinnedSource: true }
  if (file !== undefined) return { envelope: await readEnvelopeFile({ runtime, file, refuse: invalidSourceCandidate }) }
  if (source === undefined || candidate !== undefined || run.next.operation !== 'resume') return {}
  const { cwd, env, clock } = runtime
  const url = source.canonical_url
  return { envelope: await fetchEnvelope({ url, gh: locateGh({ env, cwd }), clock, signal: context.signal }) }
}
