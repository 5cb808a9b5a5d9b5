import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { formatAmount, formatLimit } from '../../prompts/budget-text.ts'
import { USER } from '../../prompts/caller.ts'
import type { RunCommand } from '../command.ts'
import { openDrover } from '../open/open-drover.ts'
import { printResult } from '../output/print-result.ts'
import { formatTable, tableWidth } from '../output/text-table.ts'
import { readSettings } from '../settings.ts'

export const run: RunCommand = async (invocation) => {
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const list = await drover.budgets.list(USER)
  return await printResult(invocation, list, (out) => {
    if (list.budgets.length === 0)
      return 'There are no budgets. "drover keys create --budget" and the setting budgets add them.\n'
    const [heading = '', ...lines] = formatTable(toRows(list), tableWidth(out))
    return `${[out.style('bold', heading), ...lines].join('\n')}\n`
  })
}

function toRows({ budgets }: BudgetList): string[][] {
  const rows = budgets.map(({ name, unit, period, limit, used, reserved, estimated, resets_at: resets = 'never' }) => {
    const mark = estimated > 0 ? '~' : ''
    const [taken, held] = [formatAmount(used, unit), formatAmount(reserved, unit)]
    return [name, formatLimit({ limit, unit, period }), `${mark}${taken}`, reserved === 0 ? '-' : held, resets]
  })
  return [['FOR', 'LIMIT', 'USED', 'RESERVED', 'RESETS'], ...rows]
}
