/** Tells the targets of the settings, the program of `--notify`, and the terminal, how a drive ended. */
import type { Config } from '../../config/config.shape.ts'
import { type AnnouncedRun, announceRun, runNotifyCommand } from '../../drive/announce-run.ts'
import { Fault } from '../../kit/fault.ts'
import { SILENT_LOG } from '../../kit/log.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import { raceTime } from '../../kit/race.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Invocation } from '../command.ts'
import { notifyFailed, targetsNotTold } from './faults.ts'

const BELL = '\u0007'
/** What is not delivered by then is delivered by the next process that can. */
const DELIVERY_MS = 5000

/** Refuses a command that cannot be run, before anything is paid for. */
export function parseNotify(text: string | undefined): string | undefined {
  if (text !== undefined) parseCheck(text)
  return text
}

type Told = {
  readonly config: Config
  readonly drover: InProcessDrover
  readonly runs: RunContext
  readonly run: AnnouncedRun
  /** Of `--notify`. */
  readonly command: string | undefined
}

/** A failure is only a warning: the run is not affected. */
export async function notify({ runtime }: Invocation, told: Told): Promise<void> {
  const { err } = runtime.terminal
  if (err.isTty) await err.write(BELL)
  const warn = async ({ message }: Fault) => await err.write(`drover: warning: ${message}\n`)
  await tellTargets(runtime, told).catch(async (error: unknown) => {
    if (!(error instanceof Fault)) throw error
    await warn(targetsNotTold({ problem: error.message }))
  })
  const { command, runs, run } = told
  if (command === undefined) return
  const problem = await runNotifyCommand(command, { ...runtime, runs }, run.run_id)
  if (problem !== undefined) await warn(notifyFailed({ command, problem }))
}

async function tellTargets({ env, cwd, clock }: Invocation['runtime'], { config, drover, runs, run }: Told) {
  const { targets } = config.notify
  if (targets.length === 0) return
  const { Notifier } = await import('../../notify/notifier.ts')
  const { outbox } = await drover.stores()
  const notifier = new Notifier({ outbox, targets, env, cwd, clock, log: SILENT_LOG })
  const consoleUrl = () => config.server.public_url
  await announceRun(runs, run, { announce: (event) => notifier.announce(event), consoleUrl })
  await raceTime(notifier.flush(), DELIVERY_MS)
}
