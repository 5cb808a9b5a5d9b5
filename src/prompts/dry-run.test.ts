import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../test/support/full-counts.ts'
import { formatDryRun } from './dry-run.ts'

const PREFIX = 'Would execute: '

describe('formatDryRun', () => {
  it('quotes where necessary, and shows the prompt as a here-string', () => {
    const argv = ['/usr/bin/claude', '-p', '--model', 'a b', "it's", '', '*'] as const
    expect(formatDryRun({ isSandboxed: false, argv, stdin: "what's $HOME?" })).toBe(
      "Would execute: /usr/bin/claude -p --model 'a b' 'it'\\''s' '' '*' <<< 'what'\\''s $HOME?'",
    )
  })

  it('stays on one line', () => {
    expect(formatDryRun({ isSandboxed: false, argv: ['x', 'a\tb'], stdin: "one\r\ntwo\\'\u001b[31m" })).toBe(
      "Would execute: x $'a\\tb' <<< $'one\\r\\ntwo\\\\\\'\\x1b[31m'",
    )
  })

  it('shows only the beginning of a very long prompt', () => {
    const show = (length: number) => formatDryRun({ isSandboxed: false, argv: ['x'], stdin: 'a'.repeat(length) })
    expect(show(65_536)).toBe(`Would execute: x <<< '${'a'.repeat(65_536)}'`)
    expect(show(65_537)).toBe(`Would execute: x <<< '${'a'.repeat(65_536)}' # only 65536 of 65537 characters are shown`)
  })

  it('says that the agent would run in a sandbox', () => {
    expect(formatDryRun({ isSandboxed: true, argv: ['x'], stdin: 'a' })).toBe(
      "Would execute: x <<< 'a' # in drover's sandbox",
    )
  })

  it('is read by bash as it was meant', () => {
    const text = fc.string({ unit: 'grapheme-ascii' }).filter((value) => !value.includes('\0'))
    const odd = fc.string({
      unit: fc.constantFrom('\n', '\t', '\\', "'", '"', '$', '`', '!', ' ', 'é', '\u0001', 'f', '0'),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(text, odd), { maxLength: 5 }), odd, (words, stdin) => {
        const line = formatDryRun({ isSandboxed: false, argv: ['show', ...words], stdin }).slice(PREFIX.length)
        const script = `show() { printf '%s\\0' "$@"; cat; }\n${line}`
        const { stdout } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
        const shown = words.length === 0 ? '\0' : words.map((word) => `${word}\0`).join('')
        expect(stdout).toBe(`${shown}${stdin}\n`)
      }),
      { numRuns: runsOf(60) },
    )
  })
})
