import { describe, expect, it } from 'vitest'
import { explainFailure } from './find-programs.ts'

describe('explainFailure', () => {
  it.each([
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /^a part of \/proc .*ProtectKernelTunables/],
    ['bwrap: setting up uid map: Read-only file system', /^a part of \/proc /],
    ["bwrap: Can't read /proc/sys/kernel/overflowuid: No such file or directory", /^a part of \/proc /],
    ['bwrap: setting up uid map: Permission denied', /^this kernel or container does not allow user namespaces/],
    ['bwrap: No permissions to create new namespace', /^this kernel or container does not allow user namespaces/],
    ['bwrap: Unknown option --size', /^bubblewrap cannot start a command; version 0.7/],
    ['', /^bubblewrap cannot start a command/],
  ])('of %j names the cause', (said, expected) => {
    expect(explainFailure(`first\n${said}\n`)).toMatch(expected)
    expect(explainFailure(said)).toContain(`(${said})`)
  })
})
