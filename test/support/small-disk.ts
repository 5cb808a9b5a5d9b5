/** A small disk in memory, which can be filled. Only root may mount one. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const CAN_MOUNT = await withSmallDisk(() => true).catch(() => false)

/** Fills the disk to the last 512 bytes. */
export function fill(path: string): void {
  for (let bytes = 1 << 20; bytes >= 512; bytes /= 2) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      // The disk is full for blocks of this size; try smaller ones.
    }
  }
}

export async function withSmallDisk<T>(work: (disk: string) => Promise<T> | T, sizeMb = 16): Promise<T> {
  const disk = mkdtempSync(join(tmpdir(), 'drover-disk-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=755`, 'tmpfs', disk)
    try {
      return await work(disk)
    } finally {
      run('umount', disk)
    }
  } finally {
    rmSync(disk, { recursive: true })
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
