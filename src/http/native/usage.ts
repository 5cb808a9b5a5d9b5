/** `GET /api/v1/usage` and `/budgets` */
import { formatUsageCsv } from '../../executions/store/usage-csv.ts'
import type { UsageField } from '../../executions/store/usage-query.ts'
import { checker } from '../../kit/schema.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { validateUsageQuery } from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { sendJson } from '../response/send-json.ts'
import type { UsageParameters } from './usage.shape.ts'

const checkUsageQuery = checker<UsageParameters>('the query', validateUsageQuery)

export const registerUsage: RegisterRoutes = (scope, context) => {
  scope.get('/usage', async (request, reply) => {
    const { group_by: groupBy, format, ...filter } = readQuery(request.query, checkUsageQuery, [])
    // The check allows only these fields.
    const fields = groupBy?.split(',') as UsageField[] | undefined
    const wanted = { ...filter, ...(fields && { groupBy: fields }) }
    const report = await context.drover.executions.usage(toRequestCaller(request, context), wanted)
    if (format !== 'csv') return sendJson(reply, report)
    const name = `usage-${report.since}-${report.until}.csv`
    reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}"`)
    return reply.send(formatUsageCsv(report))
  })
}

export const registerBudgets: RegisterRoutes = (scope, context) => {
  scope.get('/budgets', async (request, reply) =>
    sendJson(reply, await context.drover.budgets.list(toRequestCaller(request, context))),
  )
}
