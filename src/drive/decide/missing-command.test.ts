import { describe, expect, it } from 'vitest'
import { describeMissingCommand, findMissingCommand, findScript } from './missing-command.ts'

const NPM_SCRIPT = 'npm error Missing script: "tset"\nnpm error\nnpm error To see a list of scripts, run:\n  npm run\n'

describe('a check that never started', () => {
  it.each([
    ['npm run tset', 1, NPM_SCRIPT, 'script', 'tset'],
    ['npm run tset', 1, 'npm ERR! missing script: tset\n', 'script', 'tset'],
    ['pnpm run tset', 1, ' ERR_PNPM_NO_SCRIPT  Missing script: tset\n', 'script', 'tset'],
    ['yarn tset', 1, 'error Command "tset" not found.\n', 'script', 'tset'],
    ['yarn run tset', 1, `Usage Error: Couldn't find a script named "tset".\n`, 'script', 'tset'],
    ['bun run tset', 1, 'error: Script not found "tset"\n', 'script', 'tset'],
    ['npm tset', 1, 'Unknown command: "tset"\n\nDid you mean this?\n', 'command', 'tset'],
    ['cargo tset', 101, 'error: no such command: `tset`\n', 'command', 'tset'],
    ['go tset ./...', 2, 'go tset: unknown command\nRun go help for usage.\n', 'command', 'tset'],
    ['make tset', 2, "make: *** No rule to make target 'tset'.  Stop.\n", 'target', 'tset'],
    ['python3 -m pytset', 1, '/usr/bin/python3: No module named pytset\n', 'module', 'pytset'],
    ['.venv/bin/python3.12 -m pytset', 1, '/x/python: No module named pytset\n', 'module', 'pytset'],
    ["sh -c 'vitset run'", 127, 'sh: 1: vitset: not found\n', 'program', 'vitset'],
    ["bash -c 'vitset run'", 127, 'bash: line 1: vitset: command not found\n', 'program', 'vitset'],
    ['npm test', 127, '\n> test\n> vitset run\n\nsh: 1: vitset: not found\n', 'program', 'vitset'],
    ['env vitset', 127, 'env: ‘vitset’: No such file or directory\n', 'program', 'vitset'],
    ['sh check.sh', 126, 'sh: 1: ./tool: Permission denied\n', 'program', ''],
  ])('%s with exit code %i', (command, exit_code, output, kind, name) => {
    expect(findMissingCommand(command, { exit_code, output })).toMatchObject({ kind, name })
  })

  it.each([
    ['passes', 'npm run tset', 0, NPM_SCRIPT],
    ['is of another program', 'sh check.sh', 1, NPM_SCRIPT],
    ['fails in a script of a script', 'npm run all', 1, NPM_SCRIPT],
    ['lacks a file of a rule', 'make test', 2, "make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.\n"],
    ['finds an error', 'npm test', 1, '1 test failed: expected 1, received 2\n'],
    ['imports a module that is missing', 'python3 -m pytest', 1, 'E   ModuleNotFoundError: No module named wind\n'],
  ])('is not one that %s', (_, command, exit_code, output) => {
    expect(findMissingCommand(command, { exit_code, output })).toBeUndefined()
  })

  it('is not one without an exit code', () => {
    expect(findMissingCommand('npm run tset', { output: NPM_SCRIPT })).toBeUndefined()
  })

  it('is described with the nearest name', () => {
    const script = { kind: 'script', name: 'tset', of: 'npm' } as const
    expect(describeMissingCommand(script, ['lint', 'test'])).toBe('npm has no script tset; did you mean test?')
    expect(describeMissingCommand(script, ['lint'])).toBe('npm has no script tset')
    const program = { kind: 'program', name: 'vitset', of: 'npm test' } as const
    expect(describeMissingCommand(program, ['vitest'])).toBe('there is no program vitset; did you mean vitest?')
    expect(describeMissingCommand({ ...program, name: '' }, [])).toContain('cannot be executed')
  })
})

it.each([
  [['npm', 'test'], 'test'],
  [['npm', 'run', 'lint', '--', '--fix'], 'lint'],
  [['pnpm', 'run', 'test:unit'], 'test:unit'],
  [['npm', 'run'], undefined],
  [['npm', 'run', 'env'], undefined],
  [['npm', 'run', 'lint', '-w', 'app'], undefined],
  [['npm', 'run', '--prefix', 'app', 'lint'], undefined],
  [['pnpm', 'run', '/^lint:/'], undefined],
  [['npm', 'ci'], undefined],
  [['yarn', 'run', 'eslint'], undefined],
])('%j runs the script %s of package.json', (words, name) => {
  expect(findScript(words)?.name).toBe(name)
})
