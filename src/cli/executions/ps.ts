import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import type { ExecutionStore } from '../../executions/store/execution-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { toOneLine } from '../output/printable.ts'
import { dropColumns, formatTable, tableWidth } from '../output/text-table.ts'
import type { Channel } from '../terminal.ts'
import { executionRows } from './execution-text.ts'
import { withExecutions } from './open-executions.ts'

const DEFAULT_LIMIT = 20
const NOTHING_RUNS = 'Nothing is running. drover ps --all lists what has ended.\n'
const NOTHING_KEPT =
  'No executions are kept. drover config set executions.keep events keeps those of the command line.\n'

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  return await withExecutions(invocation, async ({ store }) => {
    const isAll = wantsEnded(invocation)
    const page = isAll ? await readPage(invocation, store) : { executions: await readRunning(store) }
    const emptyText = isAll ? NOTHING_KEPT : NOTHING_RUNS
    const text = flags.isOn('json')
      ? `${JSON.stringify(page, null, 2)}\n`
      : formatPage(page, { out, now: runtime.clock.now(), emptyText })
    await out.write(text)
    return 0
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
  const width = tableWidth(out)
  const [heading = '', ...lines] = formatTable(dropColumns(executionRows(executions, now), width), width)
  const last = executions.at(-1)
  const more =
    next === undefined || last === undefined
      ? []
      : [out.style('dim', toOneLine(`more: drover ps --all --before ${shortExecutionId(last)}`, width))]
  return `${[out.style('bold', heading), ...lines, ...more].join('\n')}\n`
}
