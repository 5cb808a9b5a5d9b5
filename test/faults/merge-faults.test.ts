import { MERGE_FAULTS } from './merge-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults(MERGE_FAULTS)
