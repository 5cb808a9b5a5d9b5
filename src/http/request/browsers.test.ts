import { describe, expect, it } from 'vitest'
import { isAllowedOrigin } from './browsers.ts'

describe('isAllowedOrigin', () => {
  it.each<[string, string, boolean]>([
    ['https://app.example.com', 'https://app.example.com', true],
    ['https://app.example.com', 'https://app.example.com:444', false],
    ['https://app.example.com', 'http://app.example.com', false],
    ['*', 'https://anything.example', true],
    ['*', 'null', true],
    ['http://localhost:*', 'http://localhost:3000', true],
    ['http://localhost:*', 'http://localhost:', true],
    ['http://localhost:*', 'http://localhost', true],
    ['http://localhost:*', 'https://localhost', false],
    ['http://localhost:*', 'http://localhost.evil.example', false],
    ['http://localhost:*', 'http://localhost:1@evil.example', false],
    ['http://localhost:*', 'http://localhost:1/path', false],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://evil.com/.example.com', false],
    ['https://a*a', 'https://a', false],
  ])('with the pattern %s and the origin %s is %s', (pattern, origin, isAllowed) => {
    expect(isAllowedOrigin(origin, [pattern])).toBe(isAllowed)
  })
})
