import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../test/support/full-counts.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { type GitSetting, parseGitConfig } from './parse-git-config.ts'

/** What git says that a file has; undefined if it cannot read it. */
function askGit(text: string) {
  const path = join(temporaryDirectory(), 'config')
  writeFileSync(path, text)
  try {
    const args = ['config', '--file', path, '--no-includes', '--null', '--list']
    const listed = execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return listed
      .split('\0')
      .slice(0, -1)
      .map((each) => {
        const [key = '', ...value] = each.split('\n')
        return { key, value: value.length === 0 ? 'true' : value.join('\n') }
      })
  } catch {
    return undefined
  }
}

/** What becomes of blanks inside of a value depends on the version of git. */
function withPlainBlanks(settings: readonly GitSetting[] | undefined) {
  return settings?.map(({ key, value }) => ({ key, value: value.replace(/[ \t\r]/g, ' ') }))
}

describe('parseGitConfig', () => {
  it.each([
    ['a section', '[core]\n\tfsmonitor = x\n'],
    ['no line break at the end', '[core]\nbare = false'],
    ['a key on the line of its section', '[core]fsmonitor=x # why\n[a] b\n'],
    ['other letters', '[CORE]\nFsMonitor = X\n[Filter "Big"]\nCLEAN = Y\n'],
    ['an old name of a section', '[filter.Big]\nclean = x\n'],
    ['escapes in a section', '[filter "a\\"b\\\\c\\d]"]\nclean = x\n'],
    ['quotes and escapes', '[a]\nb = " x # " y\\t\\"z ; c\n'],
    ['a line that continues', '[a]\nb = one\\\n  two \\\n# three\nc = d\n'],
    ['blanks around a value', '[a]\n  b =  one  two  \t\n'],
    ['a byte order mark and Windows lines', '\uFEFF[a]\r\nb = c\r\n'],
    ['a key without a value', '[a]\nb\nc =\n'],
    ['comments', '# [core]\n; x = y\n[a] # z\nb = c\n'],
    ['a bad key', '[a]\n1b = c\n'],
    ['a key before any section', 'b = c\n'],
    ['a quote that does not end', '[a]\nb = "c\n'],
    ['an unknown escape', '[a]\nb = \\c\n'],
    ['a section that does not end', '[a\nb = c\n'],
    ['a comment after a key', '[a]\nb # c\n'],
    ['nothing', ''],
  ])('reads what git reads: %s', (_, text) => {
    expect(parseGitConfig(text)).toEqual(askGit(text))
  })

  it('reads what git reads from any text', { timeout: 60_000 }, () => {
    const pieces = ['[', ']', '"', '\\', '\n', '=', ' ', '\t', '#', ';', '.', '-', 'a', 'B', '1', '\r', '\v', '\u00A0']
    const words = fc.constantFrom(...pieces, '[core]', '\nfsmonitor = x', '[filter "a"]', '\nclean = "y"', '\\\n')
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        expect(withPlainBlanks(parseGitConfig(text))).toEqual(withPlainBlanks(askGit(text)))
      }),
      { numRuns: runsOf(150) },
    )
  })
})
