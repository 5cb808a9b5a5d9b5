/** What the scripted agent does in each kind of action, in a repository with two files. */
import type { Action } from '../../src/contract/action.shape.ts'
import type { Outcome } from '../../src/contract/outcome.shape.ts'

/** The steps of an agent: a shell command or a question to the user. Each returns its result. */
export type Steps<T> = Generator<{ shell: string } | { says: string }, T, string>

type Report = Partial<Omit<Outcome, 'action_kind'>>

export const WIND_FILES = {
  'wind.txt': 'wind: 12 m/s\n',
  'check.sh': "grep 'knots$' wind.txt\n",
} as const

export const CLEAR_REQUEST = 'Show the wind in knots'
export const UNCLEAR_REQUEST = 'Show the wind in another unit'

export const QUESTION = 'Which unit?'

const NOTHING_ELSE = { observations: [], suggested_actions: [] } as const

/** By action kind. Unreported fields are as in the example that the agent got. */
export const WIND_WORK: Readonly<Record<Action['kind'], (action: Action) => Steps<Report>>> = {
  *orient({ goal, context }) {
    const seen = yield { shell: 'git status --short && cat wind.txt check.sh' }
    if (!seen.includes('m/s')) throw new Error(`the wind is not where it was: ${seen}`)
    if (goal === UNCLEAR_REQUEST && !/knots/i.test(context)) {
      const pause = { reason: 'decision_required', question: QUESTION, destructive_request: null } as const
      return { ...NOTHING_ELSE, status: 'needs_input', summary: 'The unit is not said.', pause }
    }
    return {
      summary: 'The wind is given in m/s.',
      observations: ['check.sh looks for knots.'],
      suggested_actions: [{ kind: 'implement', brief: 'Give the wind in knots.' }],
    }
  },

  // biome-ignore lint/correctness/useYield: it does nothing
  *clarify() {
    throw new Error('no one suggested a clarification')
  },

  *implement() {
    yield { shell: "printf 'wind: 23 knots\\n' > wind.txt" }
    const checked = yield { shell: 'sh check.sh; echo "exit code $?"' }
    return {
      ...NOTHING_ELSE,
      summary: 'The wind is given in knots.',
      implementation: {
        result: 'applied',
        files_changed: ['wind.txt'],
        activities: [
          {
            kind: 'test',
            command: 'sh check.sh',
            exit_code: Number(/exit code (\d+)/.exec(checked)?.[1]),
            summary: 'It found the knots.',
          },
        ],
        uncertainties: [],
        attempts: 1,
      },
    }
  },

  *review() {
    const difference = yield { shell: 'git diff HEAD' }
    if (!difference.includes('+wind: 23 knots')) throw new Error(`this is not what was done: ${difference}`)
    const finding = { location: 'wind.txt:1', summary: 'The number is rounded.', detail: '12 m/s are 23.3 knots.' }
    return {
      ...NOTHING_ELSE,
      summary: 'One finding.',
      review: { result: 'findings_reported', findings: [finding], uncertainties: [] },
    }
  },

  // biome-ignore lint/correctness/useYield: it runs no command
  *summarize() {
    return { ...NOTHING_ELSE, summary: 'The wind is given in knots; sh check.sh ended with 0; one finding.' }
  },
}
