import { describe, expect, it } from 'vitest'
import { isAllowedCommand, toExactCommands } from './allowed-commands.ts'

const allowedCommands = ['npm test', `sh -c 'a, b'`]

describe('a command that is allowed', () => {
  it.each([
    ...['npm test', `sh -c 'a, b'`, 'git status', 'git status --short', 'git diff', 'git diff HEAD~1 -- src/a.ts'],
    ...[
      'git log --oneline -5',
      'git log -n 5',
      'git log main..HEAD',
      'git show HEAD:src/a.ts',
      'git show --stat abc123',
    ],
  ])('is %s', (command) => {
    expect(isAllowedCommand(command, { allowedCommands })).toBe(true)
    expect(isAllowedCommand(command, {})).toBe(false)
  })

  it.each([
    ...[
      'npm test; rm -rf .',
      'npm test ',
      ' npm test',
      'npm test && x',
      'npm test\nx',
      'npm  test',
      'npm test --x',
      'npm',
    ],
    ...['PATH=. npm test', 'npm test > a', '(npm test)', ''],
    ...['git', 'git push', 'git -c a.b=c diff', 'git -C .. diff', 'git --exec-path=. diff', 'git diff --output=a'],
    ...[
      'git diff --output a',
      'git diff --ext-diff',
      'git log --textconv',
      'git show --textconv',
      'git diff --no-index a b',
    ],
    ...[
      'git diff /etc/passwd a',
      'git diff ../a b',
      'git diff a/../../b c',
      'git diff ~/a',
      'git diff $(x)',
      'git diff; x',
    ],
    ...[
      'git diff\nx',
      'git log --format=%x',
      'git log -O a',
      'git diff -- ..',
      'git status -vvv',
      'git branch',
      'git diff|x',
    ],
  ])('is not %j', (command) => {
    expect(isAllowedCommand(command, { allowedCommands })).toBe(false)
  })

  it('is in a list of exact rules only if the list cannot misread it', () => {
    const commands = toExactCommands({ allowedCommands: [...allowedCommands, 'npm run *', 'a:*', 'sh check.sh'] })
    expect(commands.slice(0, 3)).toEqual(['npm test', 'sh check.sh', 'git status'])
    expect(
      commands.every((command) => isAllowedCommand(command, { allowedCommands: ['npm test', 'sh check.sh'] })),
    ).toBe(true)
    expect(toExactCommands({})).toEqual([])
  })
})
