/** Formats executions as text. Pure. */
import { basename } from 'node:path'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import { formatBackend } from '../output/format-backend.ts'
import { formatAge, formatDuration } from '../output/format-time.ts'
import { toOneLine } from '../output/printable.ts'

/** A longer name would push out the prompt. */
const DIRECTORY_COLUMNS = 16

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

/** One table row per execution, after the headings. */
export function executionRows(executions: readonly Execution[], now: Date): string[][] {
  const rows = inFamilies(executions).map(({ execution, isPart }) => [
    // A batch is easier to see if its parts are set off.
    isPart ? `└ ${shortExecutionId(execution)}` : shortExecutionId(execution),
    execution.state,
    execution.kind.replace(/^(?:parallel|chain|compare)_/, ''),
    formatBackend(execution),
    describeAge(execution, now),
    toOneLine(basename(execution.workdir ?? '') || (execution.workdir ?? ''), DIRECTORY_COLUMNS),
    execution.prompt_start ?? '',
  ])
  return [['ID', 'STATE', 'KIND', 'BACKEND', 'AGE', 'DIRECTORY', 'PROMPT'], ...rows]
}

/** For how long it has been running, or when it ended. */
function describeAge({ created_at: created, ended_at: ended }: Execution, now: Date): string {
  if (ended !== undefined) return formatAge(ended, now)
  return formatDuration(Math.max(0, now.getTime() - Date.parse(created)))
}
