import { AGENT_FAULTS } from './agent-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(AGENT_FAULTS, { isInGate: false })
