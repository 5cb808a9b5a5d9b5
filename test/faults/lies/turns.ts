/** What agents say in the turns of a lie. */
import type { DrivenTurn } from '../../support/driven-home.ts'

/** Replaces fields of an implementation that is reported as applied. */
export const reports = (changes: object): Pick<DrivenTurn, 'outcome'> => ({
  outcome: {
    implementation: {
      ...{ result: 'applied', files_changed: ['wind.txt'], activities: [], uncertainties: [], attempts: 1 },
      ...changes,
    },
  },
})

export const tested = (command: string, exit_code = 0) => ({
  activities: [{ kind: 'test', command, exit_code, summary: 'Fine.' }],
})

export const question = (text: string): DrivenTurn => ({
  outcome: {
    ...{ status: 'needs_input', suggested_actions: [], implementation: null },
    pause: { reason: 'decision_required', question: text, destructive_request: null },
  },
})

export const NOT_NEEDED = reports({ result: 'not_needed', files_changed: [] })

/** As a person would who has told git no name. */
export const COMMIT = 'git -c user.name=a -c user.email=a@b commit --quiet'
