import { type Flag, flag, type Positional } from '../command.ts'

export const BUDGET: Flag = flag('--budget N', 'Maximum number of actions from now on, 1 to 1000')

export const SOURCE_FILE: Flag = flag(
  '--source-file FILE',
  'Read the issue from this file, written by drover source fetch',
  { mayBeEmpty: true },
)

export const RUN_ID: Positional = {
  name: 'run-id',
  description: 'Id of the run, or at least its first 4 characters',
  suggests: async (runtime) => (await import('./open-runs.ts')).suggestRunIds(runtime),
}

export const ID = '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11'
