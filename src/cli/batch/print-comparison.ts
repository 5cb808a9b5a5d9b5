/** `drover compare --show` */
import type { Execution } from '../../executions/store/execution.shape.ts'
import { executionIdMalformed, executionNotFound } from '../../executions/store/faults.ts'
import { ignoreFault, isFault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import type { ComparedResult } from '../../prompts/prompt-result.shape.ts'
import type { ComparisonView } from '../../service/comparison.shape.ts'
import type { DroverService } from '../../service/drover-service.ts'
import { comparisonUnknown } from '../../service/faults.ts'
import type { Invocation } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { formatAge } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage, toOneLine } from '../output/printable.ts'
import { tableWidth } from '../output/text-table.ts'
import { readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { formatComparison, formatContenders, toShortId } from './comparison-text.ts'

export async function showEarlier(invocation: Invocation): Promise<number> {
  const { flags, runtime } = invocation
  using interruption = listenForInterruption()
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const given = flags.text('show') ?? ''
  const view = await drover.batches.comparison(USER, given, interruption.signal).catch((error: unknown) => {
    const isUnknown = isFault(error, executionNotFound) || isFault(error, executionIdMalformed)
    throw isUnknown ? comparisonUnknown({ id: given }) : error
  })
  const answers = flags.isOn('json') ? NO_ANSWERS : await findAnswers(view, drover)
  const now = runtime.clock.now()
  return await printResult(invocation, view, (out) =>
    formatView(view, answers, { out, now, isQuiet: flags.isOn('quiet') }),
  )
}

type Answers = { results: readonly ComparedResult[]; demoBackends: readonly string[] }

const NO_ANSWERS: Answers = { results: [], demoBackends: [] }

/** Of a comparison without a result, those of the agents that had ended. */
async function findAnswers(
  { contenders }: ComparisonView,
  { executions }: Pick<DroverService, 'executions'>,
): Promise<Answers> {
  const found: Execution[] = []
  for (const { execution_id: id } of contenders) {
    const part = id === undefined ? undefined : await executions.find(USER, id).catch(ignoreFault)
    if (part?.result !== undefined) found.push(part)
  }
  return {
    results: found.map(({ result }) => result as ComparedResult),
    demoBackends: found.filter(({ is_demo: isDemo }) => isDemo === true).map(({ backend = '' }) => backend),
  }
}

type Shown = { out: Channel; now: Date; isQuiet: boolean }

/** Pure. */
function formatView(view: ComparisonView, answers: Answers, { out, now, isQuiet }: Shown): string {
  const { id, state, prompt = '', created_at: time, contenders, warnings = [] } = view
  const head = toOneLine(`${toShortId(id)} ${state}, ${formatAge(time, now)}: ${prompt}`, tableWidth(out))
  const { results, demoBackends } = answers
  if (isQuiet) return formatComparison(results, { out, demoBackends, isQuiet })
  return [
    `${out.style('bold', head)}\n`,
    ...(results.length === 0 ? [] : ['\n', formatComparison(results, { out, demoBackends })]),
    formatContenders(contenders, { out, id }),
    ...warnings.map((warning) => `warning: ${toMessage(warning)}\n`),
  ].join('')
}
