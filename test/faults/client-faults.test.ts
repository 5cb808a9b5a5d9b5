import { CLIENT_FAULTS } from './client-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(CLIENT_FAULTS, { isInGate: false })
