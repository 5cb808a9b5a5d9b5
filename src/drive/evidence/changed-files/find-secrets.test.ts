import { describe, expect, it } from 'vitest'
import { findSecrets } from './find-secrets.ts'

// Put together here, so that no scanner takes this file for one with secrets.
const join = (...parts: string[]) => parts.join('')
const RANDOM = 'q8Zr2Lw5Xk9Vb3Nc7Mj4Hg6Fd1Sa0PtYuIoE'

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
    expect(findSecrets(path, text, undefined)).toEqual([{ what: 'its name is that of a file with secrets' }])
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
    expect(findSecrets('src/a.ts', `one\n${text}\n`, undefined)).toEqual([{ what, line: 2 }])
    expect(findSecrets('src/a.ts', `one\n${text}\n`, `${text}\n`)).toEqual([])
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
    expect(findSecrets(path, text, undefined)).toEqual([])
  })

  it('is looked for in a time that grows with the length of the text', () => {
    const text = ['sk-', 'xoxb-', '-----BEGIN ', ':_authToken='].map((each) => each.repeat(250_000)).join('\n')
    expect(findSecrets('src/a.ts', text, undefined).length).toBeLessThan(5)
  })
})
