import { expect, it } from 'vitest'
import { toDriveWarning } from './drive-warning.ts'

const DENIED = '1 tool call was denied: Bash (npm test)'

it.each([
  [
    'everything',
    `${DENIED}; allow with the approval mode none (--approval none) and the sandbox mode full (--access full)`,
    'implement',
    `${DENIED}; allow with the approval mode none (--approval none)`,
  ],
  [
    'the sandbox',
    `${DENIED}; allow with the sandbox mode full (--access full)`,
    'implement',
    `${DENIED}; allow with the approval mode none (--approval none)`,
  ],
  [
    'edits',
    `${DENIED}; allow with the approval mode auto (--approval auto) and the sandbox mode workspace (--access workspace)`,
    'implement',
    `${DENIED}; allow with the approval mode auto (--approval auto)`,
  ],
  [
    'nothing, while it may only read',
    `${DENIED}; allow with the approval mode auto (--approval auto) and the sandbox mode workspace (--access workspace)`,
    'orient',
    DENIED,
  ],
  ['modes that drover chose', 'approval_mode auto is ignored: sandbox_mode read-only is stricter', 'orient', undefined],
  ['nothing more', DENIED, 'implement', DENIED],
  ['something else', 'the model is old; allow with care', 'implement', 'the model is old; allow with care'],
] as const)('a warning about %s names flags that the command has', (_what, warning, kind, shown) => {
  expect(toDriveWarning(warning, { kind })).toBe(shown)
})
