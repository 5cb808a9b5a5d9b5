import { describe, expect, it } from 'vitest'
import { exitCodeShown, unwrapShell } from './commands.ts'

describe('the command in a shell', () => {
  it.each([
    [`/bin/bash -lc 'npm test'`, 'npm test'],
    [`bash -lc "grep 'a' b"`, `grep 'a' b`],
    [`/bin/sh -c 'echo '\\''x'\\'''`, `echo 'x'`],
    ['npm test', 'npm test'],
    [`/bin/bash -lc "echo \\"\\$HOME\\""`, 'echo "$HOME"'],
  ])('%s', (wrapped, command) => {
    expect(unwrapShell(wrapped)).toBe(command)
  })
})

describe('the exit code that a run shows', () => {
  it.each([
    ['npm test', 'npm test', 1, 1],
    ['npm test', '  npm   test ', 0, 0],
    ['npm test', `/bin/bash -lc 'npm test'`, 2, 2],
    ['npm test', 'npm test 2>&1', 1, 1],
    ['npm test', 'CI=1 npm test', 1, 1],
    ['npm test', 'cd web && npm test', 1, 1],
    ['npm test', 'npm run build && npm test', 0, 0],
    ['npm test', 'npm run build && npm test', 1, 'unknown'],
    ['npm run build', 'npm run build && npm test', 0, 0],
    ['npm test', 'npm run build; npm test', 1, 1],
    ['npm test', 'npm test; echo done', 0, 'unknown'],
    ['npm test', 'npm test | tail -5', 0, 'unknown'],
    ['npm test', 'npm test || true', 0, 'unknown'],
    ['npm test', 'npm test', undefined, 'unknown'],
    ['npm test', 'echo "npm test"', 0, undefined],
    ['npm test', 'npm test -- --only one', 0, undefined],
    ['npm test', 'echo "a && npm test"', 0, undefined],
    ['npm test', 'npm testing', 0, undefined],
  ])('of %s in %s with %s is %s', (reported, command, exit_code, exitCode) => {
    expect(exitCodeShown(reported, { command, exit_code })).toEqual(exitCode === undefined ? undefined : { exitCode })
  })
})
