import { describe, expect, it } from 'vitest'
import { isSigned } from './github-hook.ts'

describe('isSigned', () => {
  // The example in the documentation of GitHub.
  const [secret, body] = ["It's a Secret to Everybody", Buffer.from('Hello, World!')]
  const digest = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  it.each([
    ['the example of GitHub', `sha256=${digest}`, true],
    ['another digest', `sha256=${digest.replace('7', '8')}`, false],
    ['a digest in capitals', `sha256=${digest.toUpperCase()}`, false],
    ['a shorter digest', `sha256=${digest.slice(2)}`, false],
    ['another algorithm', `sha1=${digest}`, false],
    ['no algorithm', digest, false],
    ['an empty header', '', false],
    ['no header', undefined, false],
    ['several headers', [`sha256=${digest}`], false],
  ])('judges %s: %s', (_name, signature, isValid) => {
    expect(isSigned(body, signature, secret)).toBe(isValid)
  })

  it('depends on the body and the secret', () => {
    expect(isSigned(Buffer.from('Hello, World?'), `sha256=${digest}`, secret)).toBe(false)
    expect(isSigned(body, `sha256=${digest}`, 'another secret')).toBe(false)
  })
})
