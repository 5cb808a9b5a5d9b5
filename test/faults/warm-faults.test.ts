import { testFaults } from './test-faults.ts'
import { WARM_FAULTS } from './warm-faults.ts'

testFaults(WARM_FAULTS, { concurrent: false, isInGate: false })
