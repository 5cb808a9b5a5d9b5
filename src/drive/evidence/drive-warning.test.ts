import { expect, it } from 'vitest'
import { toDriveWarning } from './drive-warning.ts'

const DENIED = '1 tool call was denied: Bash (npm test)'

it.each([
  [
    'everything',
    `${DENIED}; allow with --approval none and --access full`,
    'implement',
    `${DENIED}; allow with --approval none`,
  ],
  ['the sandbox', `${DENIED}; allow with --access full`, 'implement', `${DENIED}; allow with --approval none`],
  [
    'edits',
    `${DENIED}; allow with --approval auto and --access workspace`,
    'implement',
    `${DENIED}; allow with --approval auto`,
  ],
  ['nothing, while it may only read', `${DENIED}; allow with --approval auto and --access workspace`, 'orient', DENIED],
  ['modes that drover chose', 'approval_mode auto is ignored: sandbox_mode read-only is stricter', 'orient', undefined],
  ['nothing more', DENIED, 'implement', DENIED],
  ['something else', 'the model is old; allow with care', 'implement', 'the model is old; allow with care'],
] as const)('a warning about %s names flags that the command has', (_what, warning, kind, shown) => {
  expect(toDriveWarning(warning, { kind })).toBe(shown)
})
