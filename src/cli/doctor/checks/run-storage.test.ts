import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../../test/support/run-drover.ts'
import { type Disk, realDisk } from '../../../kit/files/disk.ts'
import { toDoctorCheck } from './finding.ts'
import { assessRunStorage } from './run-storage.ts'

/** A disk that does not sync directories: the second and third call sync directories. */
function withoutDirectorySync(): Disk {
  let syncs = 0
  return {
    ...realDisk,
    fsyncSync: (descriptor) => {
      syncs += 1
      if (syncs === 1) return realDisk.fsyncSync(descriptor)
      throw Object.assign(new Error('as the test wants'), { code: 'EINVAL', errno: -constants.errno.EINVAL })
    },
  }
}

const codes = (directory: string) => assessRunStorage(directory).map(({ kind }) => kind.code)

describe('the run storage', () => {
  it('has limited durability on a disk that does not sync directories', () => {
    const directory = temporaryDirectory()
    expect(assessRunStorage(directory, withoutDirectorySync()).map(toDoctorCheck)).toEqual([
      {
        code: 'runstore_durability_limited',
        status: 'warning',
        host_id: '-',
        name: 'runstore durability',
        detail: `files in ${directory} may be lost in a power failure (directory_fsync_unsupported); keep the repository on a local file system if that matters to you`,
        durability: {
          level: 'file_fsync_only',
          file_sync: true,
          directory_sync: false,
          limitation: 'directory_fsync_unsupported',
        },
      },
    ])
    expect(readdirSync(directory)).toEqual([])
  })

  it.each([
    [0o700, 0o755, false],
    [0o755, 0o700, false],
    [0o750, 0o750, true],
    [0o711, 0o701, true],
  ])('with the modes %o and %o is exposed: %j', (outer, inner, isExposed) => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'drover', 'runs'), { recursive: true })
    chmodSync(join(directory, 'drover', 'runs'), inner)
    chmodSync(join(directory, 'drover'), outer)
    expect(codes(directory).includes('runstore_exposed')).toBe(isExposed)
  })

  it('contains only what drover creates', () => {
    const directory = temporaryDirectory()
    for (const name of ['runs', 'hosts', 'cache', 'locks'])
      mkdirSync(join(directory, 'drover', name), { recursive: true })
    chmodSync(join(directory, 'drover'), 0o700)
    expect(codes(directory)).toEqual(['legacy_unknown_residue', 'legacy_unknown_residue', 'runstore_durability_full'])
  })
})
