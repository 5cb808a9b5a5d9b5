import { PREPARE_FAULTS } from './prepare-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(PREPARE_FAULTS, { isInGate: false })
