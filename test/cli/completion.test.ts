import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DROVER, run, runDrover, temporaryDirectory } from '../support/run-drover.ts'

describe('drover complete-words', () => {
  it.each([
    ['commands', ['con'], ['config']],
    ['subcommands', ['config', 's'], ['show', 'set']],
    ['flags of a command', ['config', 'show', '--j'], ['--json']],
    ['flags of drover and of a bare prompt', ['--ve'], ['--verbose', '--version']],
    ['choices of a flag', ['-b', 'c'], ['claude', 'codex']],
    ['choices of a flag joined by =', ['--backend=c'], ['--backend=claude', '--backend=codex']],
    ['subcommands behind a flag with a value', ['--config', 'x', 'config', 's'], ['show', 'set']],
    ['choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['config keys', ['config', 'get', 'server.po'], ['server.port']],
    ['nothing where a file may stand', ['config', 'show', '--config', ''], []],
    ['nothing after the last argument', ['config', 'get', 'server.port', ''], []],
  ])('offers %s', async (_name, typed, words) => {
    const { stdout } = await runDrover(['complete-words', '--', ...typed])
    const offered = stdout.split('\n').filter(Boolean)
    expect(offered.map((line) => line.split('\t')[0])).toEqual(words)
  })
})

/** Asks a real shell what it would offer after `drover config s`, with the script that drover prints for it. */
const SHELLS = [
  {
    shell: 'bash',
    script: `source <(drover completion bash)
      COMP_WORDS=(drover config s); COMP_CWORD=2; _drover; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    shell: 'zsh',
    script: `compdef() { :; }; source <(drover completion zsh)
      _describe() { print -l -- \${candidates%%:*}; }; words=(drover config s); CURRENT=3; _drover`,
  },
  {
    shell: 'fish',
    script: `drover completion fish | source; complete --do-complete 'drover config s' | string split -f1 \\t`,
  },
]

describe.each(SHELLS)('drover completion $shell', ({ shell, script }) => {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0

  it.skipIf(!isInstalled)(`completes in a real ${shell}`, async () => {
    const bin = temporaryDirectory()
    writeFileSync(join(bin, 'drover'), `#!/bin/sh\nexec '${process.execPath}' '${DROVER}' "$@"\n`)
    chmodSync(join(bin, 'drover'), 0o755)
    const { code, stdout, stderr } = await run([shell, '-c', script], {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: bin,
    })
    expect({ code, words: stdout.trim().split('\n').sort(), stderr }).toEqual({
      code: 0,
      words: ['set', 'show'],
      stderr: '',
    })
  })
})
