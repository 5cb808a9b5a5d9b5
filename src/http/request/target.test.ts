import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodePath, isDecodable, routableUrl } from './target.ts'

describe('routableUrl', () => {
  it.each([
    ['/health', '/health'],
    ['/a?b=%zz#c', '/a?b=%zz#c'],
    ['http://localhost:8080/health?x', '/health?x'],
    ['HTTPS://user@host/a//b', '/a//b'],
    ['http://localhost', '/'],
    ['http://localhost?x', '/?x'],
    ['//evil.example/health', '//evil.example/health'],
    ['*', '*'],
    ['/health/', '/health'],
    ['/a/b/?c=d/', '/a/b?c=d/'],
    ['/a//', '/a/'],
    ['/', '/'],
    ['/?a/', '/?a/'],
    ['/docs/', '/docs/'],
    ['/docs/start.js/', '/docs/start.js/'],
    ['/%zz/%20', '/%25zz/%2520'],
    ['/%c3%28', '/%25c3%2528'],
  ])('turns %s into %s', (target, url) => {
    expect(routableUrl(target)).toBe(url)
  })

  it('is always decodable', () => {
    const path = fc.string({ unit: fc.constantFrom('%', 'z', '2', 'c', '3', '/', '?', '#', 'ä') })
    fc.assert(fc.property(path, (text) => isDecodable(routableUrl(`/${text}`))))
  })
})

describe('decodePath', () => {
  it.each([
    ['/health', '/health'],
    ['/%68ealth?x=%zz', '/health'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a#b', '/a'],
  ])('of %s is %s', (url, path) => {
    expect(decodePath({ url })).toBe(path)
  })
})
