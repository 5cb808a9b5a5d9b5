/** The checker of every message, and of parts that only tests check on their own. */
import { checkAction, checkActionMaterial, checkPinnedMaterial } from '../../src/contract/action.ts'
import type { GitObservation } from '../../src/contract/git-observation.shape.ts'
import { gitObservationRules } from '../../src/contract/git-observation.ts'
import { checkOutcome } from '../../src/contract/outcome.ts'
import type { PinnedSource } from '../../src/contract/pinned-source.shape.ts'
import { pinnedSourceRules } from '../../src/contract/pinned-source.ts'
import { checkProtocolState } from '../../src/contract/protocol-state.ts'
import { checkRawSourceEnvelope } from '../../src/contract/raw-source-envelope.ts'
import { checkChangeReport, checkCliError, checkDoctorReport, checkListReport } from '../../src/contract/reports.ts'
import { checkRunStatus, checkStatusList } from '../../src/contract/run-status.ts'
import { validateGitObservation } from '../../src/contract/runs.generated.js'
import { validatePinnedSource } from '../../src/contract/source.generated.js'
import { checker } from '../../src/kit/schema.ts'

export const MESSAGE_CHECKERS = {
  action: checkAction,
  actionMaterial: checkActionMaterial,
  pinnedMaterial: checkPinnedMaterial,
  rawSourceEnvelope: checkRawSourceEnvelope,
  outcome: checkOutcome,
  protocolState: checkProtocolState,
  cliError: checkCliError,
  changeReport: checkChangeReport,
  listReport: checkListReport,
  doctorReport: checkDoctorReport,
  runStatus: checkRunStatus,
  statusList: checkStatusList,
}

export type MessageName = keyof typeof MESSAGE_CHECKERS

export const checkGitObservation = checker<GitObservation>(
  'gitObservation',
  validateGitObservation,
  gitObservationRules,
)

export const checkPinnedSource = checker<PinnedSource>('pinnedSource', validatePinnedSource, pinnedSourceRules)
