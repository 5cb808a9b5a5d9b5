import { describe, expect, it } from 'vitest'
import { browserProgram } from './open.ts'

describe('the program that opens a browser', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', { DISPLAY: '' }, undefined],
    ['linux', {}, undefined],
    ['darwin', {}, 'open'],
    ['darwin', { SSH_CONNECTION: '10.0.0.1 22' }, undefined],
  ] as const)('on %s with %o is %s', (platform, env, program) => {
    expect(browserProgram({ platform, env })).toBe(program)
  })
})
