import { BUDGET_FAULTS } from './budget-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(BUDGET_FAULTS, { isInGate: false })
