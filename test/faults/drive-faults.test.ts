import { DRIVE_FAULTS } from './drive-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(DRIVE_FAULTS)
