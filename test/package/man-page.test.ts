import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandName } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/program/command-table.ts'
import { ROOT } from '../support/npm.ts'
import { run } from '../support/run-drover.ts'

const PAGE = join(ROOT, 'man', 'drover.1')
const hasGroff = spawnSync('groff', ['--version']).status === 0
const visible = COMMANDS.filter((command) => command.isHidden !== true)

describe('man/drover.1', () => {
  it('is listed in package.json, so that npm installs it for man', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).man).toEqual(['man/drover.1'])
  })

  it.skipIf(!hasGroff)('is formatted without a warning, with every command and example unchanged', async () => {
    // On lines without end, so that nothing is hyphenated or broken; without the marks of bold and underlined.
    const ran = await run(['groff', '-man', '-ww', '-Tutf8', '-P-cbou', '-rLL=2000n', PAGE], {})
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const text = ran.stdout.replace(/ +/g, ' ')
    const wanted = visible.flatMap((command) => [
      `drover ${commandName(command)}`,
      ...command.flags.map(({ name }) => `--${name}`),
      ...Object.keys(command.examples).map((line) => line.replace(/ +/g, ' ')),
    ])
    expect(wanted.filter((words) => !text.includes(words))).toEqual([])
  })
})
