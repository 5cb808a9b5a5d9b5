import { BudgetList } from '../../prompts/budget-list.shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'

const example: BudgetList = {
  budgets: [
    {
      ...{ name: 'the key ci', unit: 'usd', period: 'day', limit: 20, used: 4.27, estimated: 0.3, reserved: 0.25 },
      resets_at: '2026-02-01T00:00:00Z',
    },
  ],
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/budgets', 'listBudgets', {
    summary: 'List budgets, and what was used of them',
    description: 'A key with the role `client` sees its own. The figures are those that prompts are refused by.',
    parameters: [],
    responses: { 200: jsonResponse('The budgets.', BudgetList, example) },
    errors: COMMON_ERRORS,
  }),
]
