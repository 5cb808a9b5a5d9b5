import type { Config } from '../../config/config.shape.ts'
import type { LocalStatus } from '../../service/local-protocol.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { readSettings } from '../settings.ts'
import {
  describeDifference,
  remedyOf,
  restartCommand,
  startBackground,
  stopBackground,
  worksAlike,
} from './background-server.ts'
import { askStatus } from './local-server.ts'

const EXIT_NOT_RUNNING = 1

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  // A mistake in the config is reported here, because the server itself has no terminal.
  const { config } = await readSettings(invocation)
  const found = await askStatus(invocation)
  const status = found ?? (flags.isOn('status') ? undefined : await startBackground(invocation))
  const isAlike = status === undefined || worksAlike(status, invocation, config)
  const difference = isAlike ? undefined : explainDifference(status, invocation, config)
  const facts = { status, isStarted: status !== found, difference }
  await out.write(flags.isOn('json') ? toJson(facts) : formatFacts(facts, flags.isOn('status')))
  return status === undefined ? EXIT_NOT_RUNNING : 0
}

type Facts = { status: LocalStatus | undefined; isStarted: boolean; difference: string | undefined }

function toJson({ status, isStarted, difference }: Facts): string {
  if (status === undefined) return `${JSON.stringify({ server: null })}\n`
  const { config: _, settings: _digests, ...server } = status
  return `${JSON.stringify({ server, is_started: isStarted, is_used_by_prompts: difference === undefined })}\n`
}

function formatFacts({ status, isStarted, difference }: Facts, wantsDetails: boolean): string {
  if (status === undefined) return 'no server runs; "drover up" starts one\n'
  const short = `${isStarted ? 'started' : 'already running'}: process ${status.pid}\n`
  return `${wantsDetails ? formatStatus(status) : short}${difference ?? ''}`
}

/** A prompt says only with `--verbose` that it runs without the server. */
function explainDifference(status: LocalStatus, invocation: Invocation, config: Config): string {
  const remedy = remedyOf(status, invocation, `${restartCommand(invocation)} restarts it`)
  return `It has ${describeDifference(status, invocation, config)}. So prompts that you wait for run without it; ${remedy}.\n`
}

function formatStatus({ pid, version, is_background: isBackground, running, warm }: LocalStatus): string {
  const kind = isBackground ? 'in the background' : 'drover serve'
  const agents = warm.map(({ backend, state, turns }) => `  ${backend}: ${state}, ${turns} prompts\n`)
  const head = `running: process ${pid}, version ${version}, ${kind}; ${running} prompts run now\n`
  return `${head}${agents.length === 0 ? '  no agent is kept running\n' : agents.join('')}`
}

export const down: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const ended = (await stopBackground(invocation)) ?? null
  const text = ended === null ? 'no server runs' : `ended: process ${ended}`
  await runtime.terminal.out.write(`${flags.isOn('json') ? JSON.stringify({ ended }) : text}\n`)
  return 0
}
