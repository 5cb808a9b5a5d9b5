import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findRun, isSameLine, readCommandLine } from './commands.ts'
import { unwrapShell } from './shell-line.ts'

const read = (line: string) => readCommandLine(line, '/work')

describe('the command in a shell', () => {
  it.each([
    [`/bin/bash -lc 'npm test'`, 'npm test'],
    [`bash -lc "grep 'a' b"`, `grep 'a' b`],
    [`/bin/sh -c 'echo '\\''x'\\'''`, `echo 'x'`],
    ['npm test', 'npm test'],
    [`/bin/bash -lc "echo \\"\\$HOME\\""`, 'echo "$HOME"'],
    ['/bin/bash -lc true', 'true'],
    [`bash -lc "bash -c 'npm test'"`, 'npm test'],
    [`bash -euo pipefail -c 'npm test | tail'`, 'set -euo pipefail; npm test | tail'],
    [`bash -ec 'npm test'`, 'set -e; npm test'],
    [`bash -lc "echo $HOME"`, `bash -lc "echo $HOME"`],
    [`bash -c 'echo "$1"' sh npm`, `bash -c 'echo "$1"' sh npm`],
    [`bash -lc 'npm test`, `bash -lc 'npm test`],
    ['sh check.sh', 'sh check.sh'],
  ])('%s', (wrapped, command) => {
    expect(unwrapShell(wrapped)).toBe(command)
  })
})

/** `same` shows the exit code of the reported command itself, `similar` that of a run in another way. */
describe('the exit code that a line shows', () => {
  it.each([
    ['npm test', 'npm test', 1, 'same', 1],
    ['npm test', '  npm   test ', 0, 'same', 0],
    ['npm test', `/bin/bash -lc 'npm test'`, 2, 'same', 2],
    [`bash -lc 'npm test'`, 'npm test', 2, 'same', 2],
    ['npm test', 'npm test 2>&1', 1, 'same', 1],
    ['npm test', 'npm test >/dev/null 2>&1', 1, 'same', 1],
    ['npm test', 'npm run test', 1, 'same', 1],
    ['npm run test', 'npm t', 1, 'same', 1],
    ['pnpm run-script test', 'pnpm test', 1, 'same', 1],
    ['pytest tests/a.py', `"pytest" 'tests/a.py'`, 1, 'same', 1],
    ['npm test', 'cd /work && npm test', 1, 'same', 1],
    ['npm test', 'cd .; npm test # all', 1, 'same', 1],
    ['cd web && npm test', 'cd web && npm test 2>&1', 1, 'same', 1],
    ['npm test | tail', 'npm test | tail', 1, 'same', 1],
    ['npm test', 'echo begin && npm test && echo end', 1, 'same', 1],
    ['npm test', 'npm run build && npm test', 0, 'same', 0],
    ['npm test', 'npm run build && npm test', 1, 'same', 'unknown'],
    ['npm run build', 'npm run build && npm test', 0, 'same', 0],
    ['npm run build', 'npm run build && npm test', 1, 'same', 'unknown'],
    ['npm test', 'npm run build; npm test', 1, 'same', 1],
    ['npm test', 'npm test; echo done', 0, 'same', 'unknown'],
    ['npm test', 'set -e; npm test; echo done', 0, 'same', 0],
    ['npm test', 'set -e; npm test; echo done', 1, 'same', 'unknown'],
    ['npm test', 'set -e\nnpm test && echo ok\necho done', 0, 'same', 'unknown'],
    ['npm test', 'set -e; set +e; npm test; echo done', 0, 'same', 'unknown'],
    ['npm test', 'npm test | tail -5', 0, 'same', 'unknown'],
    ['npm test', 'npm test 2>&1 | tail -5', 1, 'same', 'unknown'],
    ['npm test', 'set -o pipefail; npm test | tail -5', 0, 'same', 0],
    ['npm test', 'set -o pipefail; npm test | tail -5', 1, 'same', 'unknown'],
    ['npm test', 'npm test || true', 0, 'same', 'unknown'],
    ['npm test', 'npm test; exit 0', 0, 'same', 'unknown'],
    ['npm test', '(npm test)', 0, 'same', 'unknown'],
    ['npm test', 'if npm test; then echo fine; fi', 0, 'same', 'unknown'],
    ['npm test', 'npm test &', 0, 'same', 'unknown'],
    ['npm test', 'echo "$(npm test)"', 0, undefined, undefined],
    ['npm test', 'npm test', undefined, 'same', 'unknown'],
    ['npm test', 'CI=1 npm test', 1, 'similar', 1],
    ['npm test', 'CI=1 npm test', 0, 'similar', 0],
    ['npm test', 'export CI=1 && npm test', 1, 'similar', 1],
    ['npm test', 'env CI=1 npm test', 1, 'similar', 'unknown'],
    ['npm test', 'timeout 60 npm test', 124, 'similar', 'unknown'],
    ['npm test', 'timeout 60 npm test', 0, 'similar', 0],
    ['timeout 60 npm test', 'timeout 60 npm test', 124, 'same', 124],
    ['npm test', 'cd web && npm test', 0, 'similar', 0],
    ['npm test', 'cd web && npm test', 1, 'similar', 'unknown'],
    ['npm test', 'cd web; npm test', 1, 'similar', 1],
    ['cd web && npm test', 'npm test', 1, 'similar', 1],
    ['npm test', 'npm test > log.txt', 1, 'similar', 'unknown'],
    ['npm test', '/usr/bin/npm test', 1, 'similar', 1],
    ['pytest tests/a.py', 'pytest /work/tests/a.py', 1, 'similar', 1],
    ['sh check.sh', 'sh ./check.sh', 1, 'similar', 1],
    ['npm run build && npm test', 'cd web && npm run build && npm test', 0, 'similar', 0],
    ['npm run build && npm test', 'cd web && npm run build && npm test', 1, 'similar', 'unknown'],
    ['npm run build && npm test', 'npm run build; npm test', 0, undefined, undefined],
    ['npm test', 'echo "npm test"', 0, undefined, undefined],
    ['npm test', 'npm test -- --only one', 0, undefined, undefined],
    ['npm test', 'echo "a && npm test"', 0, undefined, undefined],
    ['npm test', 'npm testing', 0, undefined, undefined],
    ['bun run test', 'bun test', 0, undefined, undefined],
    [`echo '$HOME'`, 'echo $HOME', 0, undefined, undefined],
    [`ls '*.ts'`, 'ls *.ts', 0, undefined, undefined],
  ])('of %s in %s with %s: %s %s', (reported, line, exitCode, how, shown) => {
    const expected = how === undefined ? undefined : { exitCode: shown, isSame: how === 'same' }
    expect(findRun(read(reported), read(line), exitCode ?? 'unknown')).toEqual(expected)
  })
})

/** The lines are run by a real shell, in which `npm` fails and says that it ran. */
describe('a failing command', () => {
  it.each([
    'true ||\nnpm test',
    'true || # or\n\nnpm test',
    'npm test |\ncat',
    'set -n; npm test',
    'set -o noexec; npm test',
    'command exit 0; npm test',
    'command -p exit 0; npm test',
    'builtin exit 0; npm test',
    'X=1 exit 0; npm test',
    'E=exit; $E 0; npm test',
    '{exit,0}; npm test',
    'command trap "exit 0" EXIT; npm test',
    'hash -p /bin/true npm; npm test',
    'printf -v PATH %s "$OTHER"; npm test',
    'declare -x PATH="$OTHER"; npm test',
    'command -v npm test',
    'env --help npm test',
    'env -S true npm test',
    'nice --version npm test',
    'nohup --version npm test',
    'timeout --help 9 npm test',
    `npm test${' '.repeat(9)}|| true`,
    'alias npm=true\nshopt -s expand_aliases\nnpm test',
    'npm() { true; }; npm test',
    'exec true; npm test',
    'enable -n test; exit 0; npm test',
    'time -p true npm test',
    'npm test || >/dev/null',
    'npm test; 2>&1',
    'npm test\n2>&1',
    'npm test | 2>&1',
    "true $'\\'; npm test #'",
    ': ${x:-; npm test && : }',
    ': "${x:-"; npm test #"}"',
    'echo ${x#\\}; npm test && echo }',
    'ex\\\nit 0; npm test',
    "ev\\\nal 'npm(){ :; }'; npm test",
    'npm test\\\n#|| true',
    'set -o pipefail; npm test |\\\n| true',
    'true || set -e; npm test; true',
    'set -e | cat; npm test; true',
    'set -e </nonexist; npm test; true',
    'set pipefail; npm test | tail',
    'set -u errexit; npm test; true',
    'set -o errexit pipefail; npm test | tail',
    "sh -c 'npm test &>/dev/null'",
    "./bash -c 'npm test'",
    "npm test '2'>/dev/null",
    'set -u; echo $UNSET; npm test',
    ': ${x?}; npm test',
    'npm test;;',
    '&& npm test',
    'npm test &&',
    'npm test >',
    '\u00a0npm test',
    'npm test\r',
    '<(exit 0) npm test || true',
    'true <<< "; npm test"',
    '[[ 1 ]] || npm test',
    'npm test |& cat',
  ])('is not shown to succeed by %s', (line) => {
    const directory = mkdtempSync(join(tmpdir(), 'drover-shell-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const [marker, other] = [join(directory, 'ran'), join(directory, 'other')]
    writeFileSync(join(directory, 'npm'), `#!/bin/sh\n[ "$*" = test ] && : > '${marker}'\nexit 3\n`, { mode: 0o755 })
    const env = { PATH: `${directory}:/usr/bin:/bin`, OTHER: other }
    const { status } = spawnSync('bash', ['-c', line], { env, stdio: 'ignore' })
    const shown = findRun(read('npm test'), read(line), status ?? 'unknown')
    // It either did not run, also not with other arguments, or ended with 3.
    expect([undefined, 'unknown', ...(existsSync(marker) ? [3] : [])]).toContain(shown?.exitCode)
  })

  it.each([
    'nice -n5 npm test',
    'env -i npm test',
    'time -p npm test',
    'timeout --foreground 9 npm test',
    'sudo -n npm test',
  ])('that is started by another program is found in %s', (line) => {
    expect(findRun(read('npm test'), read(line), 0)).toEqual({ exitCode: 0, isSame: false })
  })
})

describe('a line', () => {
  it.each(['constructor npm test', 'toString a', 'valueOf -x npm', '__proto__ npm'])('%s starts no command', (line) => {
    expect(findRun(read('npm test'), read(line), 0)).toBeUndefined()
  })

  it.each([
    ['cd web && \\\n  npm test \\\n  2>&1', 'similar'],
    ['set -euo pipefail\nnpm test', 'same'],
    ['npm test;', 'same'],
    ['npm test 2>/dev/null', 'same'],
  ])('such as %j shows that a command succeeded', (line, how) => {
    expect(findRun(read('npm test'), read(line), 0)).toEqual({ exitCode: 0, isSame: how === 'same' })
  })
})

describe('two lines', () => {
  it.each([
    ['npm test', 'npm run test', true],
    ['npm test', 'npm test 2>&1', true],
    ['npm test', 'CI=1 npm test', false],
    ['(npm test)', '(npm test)', true],
  ])('%s and %s are the same: %s', (one, other, isSame) => {
    expect(isSameLine(read(one), read(other))).toBe(isSame)
  })
})
