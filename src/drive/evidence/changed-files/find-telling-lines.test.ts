import { describe, expect, it } from 'vitest'
import { findSecrets, findTellingLines } from './find-telling-lines.ts'

// Put together here, so that no scanner takes this file for one with secrets.
const join = (...parts: string[]) => parts.join('')
const RANDOM = 'q8Zr2Lw5Xk9Vb3Nc7Mj4Hg6Fd1Sa0PtYuIoE'

const secretsIn = (path: string, after: string, before?: string) => findSecrets({ path, after, before })

describe('a secret', () => {
  it.each([
    ['.env', 'A=1'],
    ['web/.env.production', 'A=1'],
    ['keys/id_rsa', 'x'],
    ['keys/id_ed25519', 'x'],
    ['store.p12', 'x'],
    ['.git-credentials', 'https://ada:x@example.com'],
    ['.netrc', 'machine'],
  ])('is a file with the name %s', (path, text) => {
    expect(secretsIn(path, text)).toEqual([{ what: 'its name is that of a file with secrets' }])
  })

  it.each([
    ['a private key', join('-----BEGIN RSA ', 'PRIVATE KEY-----')],
    ['a private key', join('-----BEGIN ', 'PRIVATE KEY-----')],
    ['an access key of AWS', join('key = "AK', 'IA4T7Q2WZX9C5VB8N1"')],
    ['a token of GitHub', join('ghp', `_${RANDOM}`)],
    ['a token of GitLab', join('glpat', '-q8Zr2Lw5Xk9Vb3Nc7Mj4')],
    ['a token of Slack', join('xoxb', '-918273645-kQzTbYw')],
    ['a key of Anthropic', join('sk-ant', `-api03-${RANDOM}`)],
    ['a key of OpenAI', join('sk-', `proj-${RANDOM}`)],
    ['a key of Google', join('AIza', 'q8Zr2Lw5Xk9Vb3Nc7Mj4Hg6Fd1Sa0PtYuIo')],
    ['a token of npm', join('//registry.npmjs.org/:_auth', 'Token=q8Zr2Lw5-Xk9V-b3Nc')],
    ['a key of Stripe', join('sk_', 'live_q8Zr2Lw5Xk9Vb3Nc7Mj4Hg6F')],
  ])('is %s in a text', (what, text) => {
    expect(secretsIn('src/a.ts', `one\n${text}\n`)).toEqual([{ what, line: 2 }])
    expect(secretsIn('src/a.ts', `one\n${text}\n`, `${text}\n`)).toEqual([])
  })

  it.each([
    ['.env.example', 'A=1'],
    ['.env.test', 'A=1'],
    ['src/environment.ts', 'A=1'],
    ['keys/id_rsa.pub', 'ssh-rsa AAAA'],
    ['certificate.pem', '-----BEGIN CERTIFICATE-----'],
    ['.npmrc', join('//registry.npmjs.org/:_auth', 'Token=$', '{NPM_TOKEN}')],
    ['src/a.ts', join('AK', 'IAIOSFODNN7EXAMPLE')],
    ['src/a.ts', join('ghp', '_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')],
    ['src/a.ts', 'the task-management-of-a-very-long-name-with-dashes'],
    ['src/a.css', '.sk-fading-circle-of-many-parts .sk-circle-before'],
  ])('is not %s with %s', (path, text) => {
    expect(secretsIn(path, text)).toEqual([])
  })

  it('is looked for in a time that grows with the length of the text', () => {
    const text = ['sk-', 'xoxb-', '-----BEGIN ', ':_authToken='].map((each) => each.repeat(250_000)).join('\n')
    expect(secretsIn('src/a.ts', text).length).toBeLessThan(5)
  })
})

const ROOT = '/home/ada/.drover/worktrees/wind-1/weather'
const find = (path: string, after: string, before?: string) =>
  findTellingLines({ path, before, after }, ROOT).map(({ line, what }) => `${line} ${what}`)

const DROVER = 'it reads a variable that only drover sets'
const TYPES = 'it turns off the type checker for the file'
const LINTER = 'it turns off the linter for the file'

describe('a new line tells', () => {
  it.each([
    ['a variable of drover', 'wind.sh', 'test -n "$DROVER_WORKTREE"', DROVER],
    ['a variable of drover, in another language', 'wind.js', 'if (process.env.DROVER_PORT) return', DROVER],
    ['the worktree', 'wind.sh', `cat ${ROOT}/wind.txt`, 'it names the worktree of the run, which is removed'],
    ['that types are not checked', 'wind.ts', '// @ts-nocheck', TYPES],
    ['that types are not checked, in Python', 'wind.py', '# mypy: ignore-errors', TYPES],
    ['that nothing is linted', 'wind.js', '/* eslint-disable */', 'it turns off the linter'],
    ['that nothing is linted, by biome', 'wind.js', '// biome-ignore-all lint: x', LINTER],
    ['that nothing is linted, in Python', 'wind.py', '# flake8: noqa', LINTER],
    ['that nothing is linted, in Rust', 'wind.rs', '#![allow(warnings)]', LINTER],
  ])('%s', (_, path, text, what) => {
    expect(find(path, `one\n${text}\n`)).toEqual([`2 ${what}`])
    expect(find(path, `one\n${text}\n`, `${text}\n`)).toEqual([])
  })

  it.each([
    ['an exception for one line', 'wind.js', '// eslint-disable-next-line no-console'],
    ['an exception for one line, in a block', 'wind.js', 'x() /* eslint-disable-line no-console */'],
    ['prose', 'docs/wind.md', 'Set DROVER_PORT.'],
    ['another name', 'wind.sh', 'echo "$MY_DROVER" drover_port'],
    ['a binary file', '__pycache__/wind.pyc', `\0${ROOT}/wind.py`],
  ])('nothing in %s', (_, path, text) => {
    expect(find(path, text)).toEqual([])
  })

  it('at most three times in a file', () => {
    expect(find('wind.sh', 'a $DROVER_PORT\n'.repeat(3)).length).toBe(3)
    expect(find('wind.sh', 'a $DROVER_PORT\n'.repeat(4)).length).toBe(3)
  })
})
