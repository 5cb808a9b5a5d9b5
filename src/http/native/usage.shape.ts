import { Type } from 'typebox'
import { formatUsageCsv } from '../../executions/store/usage-csv.ts'
import { UsageReport } from '../../executions/store/usage-report.shape.ts'
import { literals, type Static, strict, textLike } from '../../kit/shape.ts'
import { BudgetList } from '../../prompts/budget-list.shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'

const FIELD = '(day|key|backend|model)'

export const UsageParameters = strict({
  since: Type.Optional(
    Type.String({ format: 'date', description: 'The first day, in UTC; the default is the last 30 days.' }),
  ),
  until: Type.Optional(Type.String({ format: 'date', description: 'The last day, in UTC; the default is today.' })),
  key: Type.Optional(Type.String({ minLength: 1, description: 'Only the API key with this name.' })),
  backend: Type.Optional(Type.String({ minLength: 1, description: 'Only this agent.' })),
  model: Type.Optional(Type.String({ minLength: 1, description: 'Only this model.' })),
  group_by: Type.Optional(
    textLike(`^${FIELD}(,${FIELD}){0,3}$`, 'a list of day, key, backend and model, with commas between them', {
      default: 'day,key,backend,model',
      description: 'The fields that each row has. Rows that differ only in other fields are added up.',
    }),
  ),
  format: Type.Optional(
    literals(['json', 'csv'], { default: 'json', description: '`csv`: only the rows, for a spreadsheet.' }),
  ),
})
export type UsageParameters = Static<typeof UsageParameters>

const amounts = {
  executions: 12,
  completed: 11,
  failed: 1,
  cancelled: 0,
  lost: 0,
  input_tokens: 48_210,
  output_tokens: 9_120,
  cached_tokens: 310_400,
  reasoning_tokens: 0,
  cache_write_tokens: 22_900,
  cost_usd: 0.4127,
  priced_usd: 0.0311,
  plan_executions: 0,
  unknown_cost_executions: 1,
  duration_ms: 184_300,
}

const example: UsageReport = {
  since: '2026-01-01',
  until: '2026-01-31',
  group_by: ['day', 'key', 'backend', 'model'],
  rows: [{ day: '2026-01-31', key: 'ci', backend: 'claude', model: 'claude-sonnet-4-5', ...amounts }],
  totals: amounts,
}

const budgets: BudgetList = {
  budgets: [
    {
      ...{ name: 'the key ci', unit: 'usd', period: 'day', limit: 20, used: 4.27, estimated: 0.3, reserved: 0.25 },
      resets_at: '2026-02-01T00:00:00Z',
    },
  ],
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/usage', 'getUsage', {
    summary: 'Get the tokens, cost and executions by day, API key, backend and model',
    description:
      'Counts every execution of an agent when it ends, including ephemeral ones; dry runs are not counted. Usage is kept for 400 days. ' +
      'A key with the role `client` sees its own usage.',
    parameters: Object.entries(UsageParameters.properties).map(([name, shape]) => ({
      name,
      in: 'query',
      shape,
      isRequired: false,
    })),
    responses: {
      200: {
        description: 'The usage, at most 10,000 rows.',
        content: {
          'application/json': { shape: UsageReport, examples: { example } },
          'text/csv': {
            shape: Type.String({
              description: 'The names of the columns, and a line for each row. An unknown cost is empty.',
            }),
            examples: { example: formatUsageCsv(example) },
          },
        },
      },
    },
    errors: ['BadRequest', ...COMMON_ERRORS],
  }),
]

export const BUDGET_OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/budgets', 'listBudgets', {
    summary: 'List budgets, and what was used of them',
    description: 'A key with the role `client` sees its own. The figures are those that prompts are refused by.',
    parameters: [],
    responses: { 200: jsonResponse('The budgets.', BudgetList, budgets) },
    errors: COMMON_ERRORS,
  }),
]
