/** `backends test`: one short prompt shows whether an agent works. */
import { backendProbeFailed } from '../../agents/acp/faults.ts'
import { backendNames } from '../../agents/locate-agents.ts'
import { USER } from '../../prompts/caller.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import type { BackendTest } from '../../service/drover-service.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { formatCost } from '../output/usage-text.ts'
import { readSettings } from '../settings.ts'
import { probeAgain, TIMEOUT_SECS } from './add.ts'

const ANSWER_COLUMNS = 60

export const run: RunCommand = async (invocation) => {
  const [name = ''] = invocation.args
  const { config } = await readSettings(invocation)
  const settings = Object.hasOwn(config.backends, name) ? config.backends[name] : undefined
  if (settings === undefined) throw backendNotFound({ backend: name, known: backendNames(config.backends) })
  await announcePrompts(invocation, [name])
  if ('protocol' in settings) return await probeAgain(invocation, name, settings)
  await using drover = openDrover(invocation, { config })
  using interruption = listenForInterruption()
  const timeoutSecs = invocation.flags.integer('timeout') ?? TIMEOUT_SECS
  const tested = await drover.backends.test(USER, name, { signal: interruption.signal, timeoutSecs })
  const stoppedBy = interruption.by()
  if (stoppedBy !== undefined) return exitCodeOfSignal(stoppedBy)
  if (!tested.works) throw backendProbeFailed({ backend: name, reason: tested.error ?? 'it does not say why' })
  return await printResult(invocation, tested, () => `${describeTest(tested)}\n`)
}

/** People learn what it costs before it does. With `--json`, stderr is for errors. */
export async function announcePrompts({ flags, runtime }: Invocation, names: readonly string[]): Promise<void> {
  if (flags.isOn('json') || names.length === 0) return
  const [each, cost] = names.length === 1 ? ['', 'it costs one prompt'] : [' each', `it costs ${names.length} prompts`]
  await runtime.terminal.err.write(`drover: sending one short prompt to ${names.join(', ')}${each}; ${cost}\n`)
}

/** One line about a backend that works. */
export function describeTest({ backend, answer, duration_ms: ms, cost_usd: cost }: BackendTest): string {
  const paid = formatCost(cost)
  const seconds = `${(ms / 1000).toFixed(1)} s`
  const said = toOneLine(answer, ANSWER_COLUMNS)
  return `${backend} works: it answered "${said}" in ${seconds}${paid === undefined ? '' : ` for ${paid}`}`
}
