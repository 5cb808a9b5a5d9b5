import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { type Disk, realDisk } from '../../kit/files/disk.ts'
import { toDoctorCheck } from './check.ts'
import { checkRunStorage } from './run-storage.ts'

/** A disk that does not sync directories, which are what is synced second and third. */
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

const codes = (directory: string) => checkRunStorage(directory).map(({ kind }) => kind.code)

describe('the place where runs are kept', () => {
  it('is limited where the names in a directory are not forced to the disk', () => {
    const directory = temporaryDirectory()
    expect(checkRunStorage(directory, withoutDirectorySync()).map(toDoctorCheck)).toEqual([
      {
        code: 'runstore_durability_limited',
        status: 'warning',
        host_id: '-',
        name: 'runstore durability',
        detail: `what is written to ${directory} may be gone after a power failure (directory_fsync_unsupported); keep the repository on a local file system if that matters to you`,
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
  ])('of modes %o and %o is open to others: %j', (outer, inner, isExposed) => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'drover', 'runs'), { recursive: true })
    chmodSync(join(directory, 'drover', 'runs'), inner)
    chmodSync(join(directory, 'drover'), outer)
    expect(codes(directory).includes('runstore_exposed')).toBe(isExposed)
  })

  it('holds what drover puts there, and nothing else', () => {
    const directory = temporaryDirectory()
    for (const name of ['runs', 'hosts', 'cache', 'locks'])
      mkdirSync(join(directory, 'drover', name), { recursive: true })
    chmodSync(join(directory, 'drover'), 0o700)
    expect(codes(directory)).toEqual(['legacy_unknown_residue', 'legacy_unknown_residue', 'runstore_durability_full'])
  })
})
