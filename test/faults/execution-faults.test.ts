import { EXECUTION_FAULTS } from './execution-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(EXECUTION_FAULTS, { isInGate: false })
