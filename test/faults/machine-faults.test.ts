import { MACHINE_FAULTS } from './machine-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(MACHINE_FAULTS, { concurrent: false, isInGate: false })
