import { SERVER_FAULTS } from './server-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(SERVER_FAULTS)
