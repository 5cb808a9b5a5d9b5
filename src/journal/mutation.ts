import { Fault, isFault } from '../kit/fault.ts'
import { systemReason } from '../kit/files/disk.ts'
import {
  type MutationDetails,
  mutationCommittedProjectionStale,
  mutationCommittedVerificationFailed,
  mutationNotCommitted,
  mutationOutcomeAmbiguous,
  runJournalInvalid,
} from './faults.ts'

/** The steps of a change to a run, as `details.phase` names them. */
type Phase =
  | 'validation'
  | 'directory_create'
  | 'directory_sync'
  | 'lock_open'
  | 'replay'
  | 'material_write'
  | 'material_verify'
  | 'journal_open'
  | 'journal_write'
  | 'journal_sync'
  | 'journal_verify'
  | 'namespace_verify'
  | 'projection_write'

/** Whether the change is recorded; `ambiguous` if that is unknown. */
type MutationStatus = 'not_committed' | 'ambiguous' | 'committed'

const FAULTS = {
  not_committed: mutationNotCommitted,
  ambiguous: mutationOutcomeAmbiguous,
  committed: mutationCommittedVerificationFailed,
}

/** A change to a run in progress. The caller updates `status`; a failing step reports it. */
export class Mutation {
  readonly runId: string
  status: MutationStatus = 'not_committed'

  constructor(runId: string) {
    this.runId = runId
  }

  /** Runs one step. An error becomes a fault that says how far the change got. */
  step<T>(phase: Phase, work: () => T): T {
    try {
      return work()
    } catch (error) {
      // An invalid journal is reported as such, not as a failed change.
      if (isFault(error, runJournalInvalid)) throw error
      throw this.failure(phase, error instanceof Fault ? error.message : systemReason(error), error)
    }
  }

  failure(phase: Phase, problem: string, cause?: unknown): Fault {
    const make = phase === 'projection_write' ? mutationCommittedProjectionStale : FAULTS[this.status]
    return make({ run_id: this.runId, problem, details: this.details(phase) }, cause)
  }

  /** The directory of the run was moved or removed: records written there may be lost. */
  detached(problem: string): Fault {
    if (this.status === 'not_committed') return this.failure('namespace_verify', problem)
    this.status = 'ambiguous'
    const details = { ...this.details('namespace_verify'), namespace_detached: true }
    return mutationOutcomeAmbiguous({ run_id: this.runId, problem, details })
  }

  /** Only the snapshot can be stale: it is written last, after the change is recorded. */
  details(phase: Phase): MutationDetails {
    const [committed, ambiguous] = [this.status === 'committed', this.status === 'ambiguous']
    const projection_stale = phase === 'projection_write'
    return { phase, committed, projection_stale, namespace_detached: false, ambiguous }
  }
}
