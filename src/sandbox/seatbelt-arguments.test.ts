import { describe, expect, it } from 'vitest'
import { type SeatbeltWrapping, toSeatbeltArguments, toSeatbeltProfile } from './seatbelt-arguments.ts'

const wrapping: SeatbeltWrapping = {
  policy: {
    mounts: [
      { path: '/usr', as: 'read' },
      { path: '/Users/me', as: 'own' },
      { path: '/Users/me/work', as: 'write' },
      { path: '/Users/me/work/.git', as: 'read' },
      { path: '/Users/me/work/.git/drover', as: 'empty directory' },
    ],
    home: '/Users/me',
    hosts: [],
    env: [],
    limits: { memoryBytes: undefined, processes: undefined, fileBytes: undefined },
  },
  argv: ['npm', 'test', '$(id)'],
  programs: { seatbelt: '/usr/bin/sandbox-exec', node: '/usr/bin/node', forwarder: '/drover/forwarder.cjs' },
  proxyPort: 4321,
  ownDirectory: '/private/tmp/own',
}

describe('a profile of Seatbelt', () => {
  it('denies everything, then has a rule for each mount, in the order in which they count', () => {
    const lines = toSeatbeltProfile(wrapping).split('\n')
    expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
    expect(lines.slice(lines.indexOf('(deny file-write* (subpath "/usr"))'))).toEqual([
      '(deny file-write* (subpath "/usr"))',
      '(allow file-read* (subpath "/usr"))',
      '(deny file-read* file-write* (subpath "/Users/me"))',
      '(allow file-read-metadata (subpath "/Users/me"))',
      '(allow file-read* file-write* (subpath "/Users/me/work"))',
      '(deny file-write* (subpath "/Users/me/work/.git"))',
      '(allow file-read* (subpath "/Users/me/work/.git"))',
      '(deny file-read* file-write* (subpath "/Users/me/work/.git/drover"))',
      '(allow file-read-metadata (subpath "/Users/me/work/.git/drover"))',
      '(allow file-read* (subpath "/drover/forwarder.cjs"))',
      '(allow file-read* file-write* (subpath "/private/tmp/own"))',
      '(allow network-outbound (remote ip "localhost:4321"))',
    ])
  })

  it('reaches the proxy and no other address, port or socket', () => {
    expect(toSeatbeltProfile(wrapping).match(/network/g)).toHaveLength(1)
  })

  it('cannot be ended by a path', () => {
    const mounts = [{ path: '/a") (allow default) ("\\', as: 'read' as const }]
    const profile = toSeatbeltProfile({ ...wrapping, policy: { ...wrapping.policy, mounts } })
    expect(profile).toContain('(subpath "/a\\") (allow default) (\\"\\\\"))')
  })

  it('is one argument, and so is each word of the command', () => {
    const argv = toSeatbeltArguments(wrapping)
    expect(argv.slice(0, 2)).toEqual(['/usr/bin/sandbox-exec', '-p'])
    expect(argv.slice(3)).toEqual(['/usr/bin/node', '/drover/forwarder.cjs', '4321', '', '', 'npm', 'test', '$(id)'])
  })
})
