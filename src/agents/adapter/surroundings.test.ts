import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readInstructions, readSettings, readVariables } from './surroundings.ts'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'drover-surroundings-')))
  mkdirSync(join(root, 'work'))
})
afterEach(() => rmSync(root, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(root, name), text)
const instructions = (name: string) => readInstructions(join(root, 'work'), name)

describe('the instructions of a project', () => {
  it('are those of the working directory, also through a link in it', () => {
    write('work/AGENTS.md', 'Use tabs.\0')
    symlinkSync('AGENTS.md', join(root, 'work/CLAUDE.md'))
    expect([instructions('AGENTS.md'), instructions('CLAUDE.md')]).toEqual(['Use tabs.', 'Use tabs.'])
  })

  it('are empty if there are none, or if they are no file', () => {
    mkdirSync(join(root, 'work/GEMINI.md'))
    execFileSync('mkfifo', [join(root, 'work/CLAUDE.md')])
    expect(['AGENTS.md', 'GEMINI.md', 'CLAUDE.md'].map(instructions)).toEqual(['', '', ''])
  })

  it.each(['../secret', '/etc/passwd'])('never come from a link that leads out of it: %s', (target) => {
    write('secret', 'a key')
    symlinkSync(target, join(root, 'work/AGENTS.md'))
    expect(instructions('AGENTS.md')).toBe('')
  })

  it.each([
    [128 * 1024, ''],
    [128 * 1024 + 1, '\n(The rest of'],
  ])('are cut after 128 KiB: %d bytes', (length, end) => {
    write('work/AGENTS.md', 'x'.repeat(length))
    expect(instructions('AGENTS.md').slice(128 * 1024, 128 * 1024 + 13)).toBe(end)
  })
})

describe('the settings of the user', () => {
  it('may have comments', () => {
    write('settings.json', '{\n// one\n"url": "http://x//y", /* two */ "text": "\\"/* no */"}')
    expect(readSettings(join(root, 'settings.json'))).toEqual({ url: 'http://x//y', text: '"/* no */' })
  })

  it.each(['', '[1]', '{'])('are empty if they are no object: %j', (text) => {
    write('settings.json', text)
    expect([readSettings(join(root, 'settings.json')), readSettings(join(root, 'none'))]).toEqual([{}, {}])
  })
})

describe('the variables of the user', () => {
  it('are those of the first file that exists', () => {
    write('.env', 'A=1\nB="two words"\n')
    expect(readVariables([join(root, 'none'), join(root, '.env')])).toEqual({ A: '1', B: 'two words' })
    expect(readVariables([join(root, 'none')])).toEqual({})
  })
})
