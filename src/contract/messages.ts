/** The checker of every message, by the message's name. Each loads its validator only when it is asked for. */
export const MESSAGES = {
  action: async () => (await import('./action.ts')).checkAction,
  actionMaterial: async () => (await import('./material.ts')).checkActionMaterial,
  pinnedMaterial: async () => (await import('./material.ts')).checkPinnedMaterial,
  rawSourceEnvelope: async () => (await import('./raw-source-envelope.ts')).checkRawSourceEnvelope,
  outcome: async () => (await import('./outcome.ts')).checkOutcome,
  protocolState: async () => (await import('./protocol-state.ts')).checkProtocolState,
  cliError: async () => (await import('./cli-error.ts')).checkCliError,
  changeReport: async () => (await import('./change-report.ts')).checkChangeReport,
  listReport: async () => (await import('./list-report.ts')).checkListReport,
  doctorReport: async () => (await import('./doctor-report.ts')).checkDoctorReport,
  runStatus: async () => (await import('./run-status.ts')).checkRunStatus,
  statusList: async () => (await import('./status-list.ts')).checkStatusList,
}

export type MessageName = keyof typeof MESSAGES
