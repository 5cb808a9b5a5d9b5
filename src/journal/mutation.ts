import { Fault } from '../kit/fault.ts'
import { systemReason } from '../kit/files/disk.ts'
import {
  type MutationDetails,
  mutationCommittedProjectionStale,
  mutationCommittedVerificationFailed,
  mutationNotCommitted,
  mutationOutcomeAmbiguous,
  runJournalInvalid,
} from './faults.ts'

/** The steps that a change of a run is made of, by the names that error messages have for them. */
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

/** What is known of a change: that it is not recorded, that it is, or neither. */
type Standing = 'not_committed' | 'ambiguous' | 'committed'

const MAKERS = {
  not_committed: mutationNotCommitted,
  ambiguous: mutationOutcomeAmbiguous,
  committed: mutationCommittedVerificationFailed,
}

/** A change of a run while it is being made. Whoever makes it keeps `standing` true; a step that fails reports it. */
export class Mutation {
  readonly runId: string
  standing: Standing = 'not_committed'

  constructor(runId: string) {
    this.runId = runId
  }

  /** Takes a step; what the system or the store has against it becomes a fault that says how far the change came. */
  step<T>(phase: Phase, work: () => T): T {
    try {
      return work()
    } catch (error) {
      // Such a journal is wrong whether it is to be changed or not.
      if (error instanceof Fault && error.code === runJournalInvalid.code) throw error
      throw this.failure(phase, error instanceof Fault ? error.message : systemReason(error), error)
    }
  }

  failure(phase: Phase, problem: string, cause?: unknown): Fault {
    const make = phase === 'projection_write' ? mutationCommittedProjectionStale : MAKERS[this.standing]
    return make({ run_id: this.runId, problem, details: this.details(phase) }, cause)
  }

  /** The place of the run was taken away: what was written there by then may be lost, durable or not. */
  detached(problem: string): Fault {
    if (this.standing === 'not_committed') return this.failure('namespace_verify', problem)
    this.standing = 'ambiguous'
    const details = { ...this.details('namespace_verify'), namespace_detached: true }
    return mutationOutcomeAmbiguous({ run_id: this.runId, problem, details })
  }

  /** What stands beside the journal is written last, when the change is recorded, and is the only thing that can be stale. */
  details(phase: Phase): MutationDetails {
    const [committed, ambiguous] = [this.standing === 'committed', this.standing === 'ambiguous']
    const projection_stale = phase === 'projection_write'
    return { phase, committed, projection_stale, namespace_detached: false, ambiguous }
  }
}
