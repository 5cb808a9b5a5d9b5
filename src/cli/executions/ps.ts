import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import type { ExecutionStore } from '../../executions/store/execution-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { formatHeadedTable, tableWidth } from '../output/text-table.ts'
import type { Channel } from '../terminal.ts'
import { executionRows } from './execution-text.ts'
import { withExecutions } from './open-executions.ts'

const DEFAULT_LIMIT = 20
const NOTHING_RUNS = 'Nothing is running. drover ps --all lists what has ended.\n'
const NOTHING_KEPT =
  'No executions are kept. drover config set executions.keep events keeps those of the command line.\n'

export const run: RunCommand = async (invocation) => {
  return await withExecutions(invocation, async ({ store }) => {
    const isAll = wantsEnded(invocation)
    const page = isAll ? await readPage(invocation, store) : { executions: await readRunning(store) }
    const emptyText = isAll ? NOTHING_KEPT : NOTHING_RUNS
    const now = invocation.runtime.clock.now()
    return await printResult(invocation, page, (out) => formatPage(page, { out, now, emptyText }))
  })
}

function wantsEnded({ flags }: Invocation): boolean {
  return flags.isOn('all') || flags.integer('limit') !== undefined || flags.text('before') !== undefined
}

async function readRunning(store: ExecutionStore): Promise<Execution[]> {
  return (await store.running()).reverse()
}

async function readPage({ flags }: Invocation, store: ExecutionStore): Promise<ExecutionPage> {
  const before = flags.text('before')
  const limit = flags.integer('limit') ?? DEFAULT_LIMIT
  if (before === undefined) return await store.list({}, { limit })
  const { id } = await store.find(before)
  return await store.list({ before: id }, { limit })
}

function formatPage(
  { executions, next }: ExecutionPage,
  { out, now, emptyText }: { out: Channel; now: Date; emptyText: string },
): string {
  if (executions.length === 0) return emptyText
  const last = executions.at(-1)
  const more =
    next === undefined || last === undefined
      ? []
      : [out.style('dim', toOneLine(`more: drover ps --all --before ${shortExecutionId(last)}`, tableWidth(out)))]
  return `${[...formatHeadedTable(executionRows(executions, now), out), ...more].join('\n')}\n`
}
