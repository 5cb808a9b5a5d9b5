import { USER } from '../../prompts/caller.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { readSettings } from '../settings.ts'
import { executePrompt } from './execute-prompt.ts'
import { newestSession } from './newest-session.ts'
import { checkDetachable, readOutputFormat, requestFromFlags, wantsDeltas } from './prompt-flags.ts'
import { readPrompt } from './read-prompt.ts'

export const run: RunCommand = async (invocation) => {
  const { flags } = invocation
  const reading = await readSettings(invocation)
  const { config } = reading
  const isDetached = flags.isOn('detach')
  if (isDetached) checkDetachable(invocation)
  if (flags.text('fallback') !== undefined) refuseWithFallback(invocation)
  const prompt = await readPrompt(invocation)
  await using drover = openDrover(invocation, { config })
  const { workdir, ...options } = requestFromFlags(invocation)
  const directory = workdir ?? invocation.runtime.cwd
  const resumes = flags.isOn('continue')
    ? await newestSession(invocation, await drover.sessions.of(USER), { workdir: directory, isResumable: true })
    : undefined
  const backend = resumes?.backend ?? flags.text('backend') ?? config.default_backend
  const format = readOutputFormat(invocation, reading)
  const request = {
    ...options,
    // With --continue the directory only selects the session, which has its own directory.
    ...((workdir !== undefined || isDetached) && resumes === undefined && { workdir: directory }),
    backend,
    prompt,
    resumes,
    wantsDeltas: wantsDeltas(invocation, format),
  }
  if (isDetached) {
    const { detachPrompt } = await import('./detach-prompt.ts')
    return await detachPrompt(invocation, { request, config })
  }
  return await executePrompt(invocation, { request, drover, config, format })
}

/** A session stays with its agent, and the output of two agents would be mixed. */
function refuseWithFallback({ flags }: Invocation): void {
  const other = ['continue', 'raw'].find((name) => flags.isOn(name))
  if (other !== undefined) throw flagsConflict({ flags: ['--fallback', `--${other}`] })
}
