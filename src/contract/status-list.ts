import { checker, within } from '../kit/schema.ts'
import { runStatusRules } from './run-status.ts'
import { validateStatusList } from './runs.generated.js'
import type { StatusList } from './status-list.shape.ts'

export const checkStatusList = checker<StatusList>('statusList', validateStatusList, [within('runs', runStatusRules)])
