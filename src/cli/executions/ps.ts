import { basename } from 'node:path'
import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import type { ExecutionStore } from '../../executions/store/execution-store.ts'
import { formatBackend } from '../../prompts/format-backend.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { formatAge, formatDuration } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { formatHeadedTable, tableWidth } from '../output/text-table.ts'
import type { Channel } from '../terminal.ts'
import { withExecutions } from './open-executions.ts'

const DEFAULT_LIMIT = 20
/** A longer name would push out the prompt. */
const DIRECTORY_COLUMNS = 16
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

/** Executions in the order given, each followed by its parts, oldest first. A part without its batch stands alone. */
function inFamilies(executions: readonly Execution[]): { execution: Execution; isPart: boolean }[] {
  const ids = new Set(executions.map(({ id }) => id))
  const isPart = ({ parent_id: parent }: Execution) => parent !== undefined && ids.has(parent)
  const partsOf = (id: string) => executions.filter((each) => each.parent_id === id).sort(byAge)
  return executions
    .filter((each) => !isPart(each))
    .flatMap((execution) => [
      { execution, isPart: false },
      ...partsOf(execution.id).map((part) => ({ execution: part, isPart: true })),
    ])
}

function byAge(one: Execution, other: Execution): number {
  return one.created_at < other.created_at || (one.created_at === other.created_at && one.id < other.id) ? -1 : 1
}

/** One table row per execution, after the headings. If a key has started one, they have keys. Pure. */
export function executionRows(executions: readonly Execution[], now: Date): string[][] {
  const hasKeys = executions.some(({ api_key: key }) => key !== undefined)
  const ofKey = (text: string) => (hasKeys ? [text] : [])
  const rows = inFamilies(executions).map(({ execution, isPart }) => [
    // A batch is easier to see if its parts are set off.
    isPart ? `└ ${shortExecutionId(execution)}` : shortExecutionId(execution),
    execution.state,
    execution.kind.replace(/^(?:parallel|chain|compare)_/, ''),
    formatBackend(execution),
    describeAge(execution, now),
    ...ofKey(execution.api_key ?? '-'),
    toOneLine(basename(execution.workdir ?? '') || (execution.workdir ?? ''), DIRECTORY_COLUMNS),
    execution.prompt_start ?? '',
  ])
  return [['ID', 'STATE', 'KIND', 'BACKEND', 'AGE', ...ofKey('KEY'), 'DIRECTORY', 'PROMPT'], ...rows]
}

/** For how long it has been running, or when it ended. */
function describeAge({ created_at: created, ended_at: ended }: Execution, now: Date): string {
  if (ended !== undefined) return formatAge(ended, now)
  return formatDuration(Math.max(0, now.getTime() - Date.parse(created)))
}
