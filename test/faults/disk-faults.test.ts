import { DISK_FAULTS } from './disk-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(DISK_FAULTS, { isInGate: false })
