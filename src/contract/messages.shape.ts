/** Every message of the machine protocol, by its name. */
import { Action } from './action.shape.ts'
import { ChangeReport } from './change-report.shape.ts'
import { CliError } from './cli-error.shape.ts'
import { DoctorReport } from './doctor-report.shape.ts'
import { ListReport } from './list-report.shape.ts'
import { ActionMaterial, PinnedMaterial } from './material.shape.ts'
import { Outcome } from './outcome.shape.ts'
import { ProtocolState } from './protocol-state.shape.ts'
import { RawSourceEnvelope } from './raw-source-envelope.shape.ts'
import { RunStatus } from './run-status.shape.ts'
import { StatusList } from './status-list.shape.ts'

export const MESSAGE_SHAPES = {
  action: Action,
  actionMaterial: ActionMaterial,
  pinnedMaterial: PinnedMaterial,
  rawSourceEnvelope: RawSourceEnvelope,
  outcome: Outcome,
  protocolState: ProtocolState,
  cliError: CliError,
  changeReport: ChangeReport,
  listReport: ListReport,
  doctorReport: DoctorReport,
  runStatus: RunStatus,
  statusList: StatusList,
}
