import { expect, it } from 'vitest'
import { requireNode } from './package.ts'

it('a Node that is too old is named', () => {
  expect(() => requireNode('23.11.1')).toThrow('drover needs Node 24 or newer, but this is Node 23.11.1')
  expect(() => requireNode('24.0.0')).not.toThrow()
  expect(() => requireNode()).not.toThrow()
})
