import { realTreeDisk, type TreeDisk } from '../../src/hosts/worktree.ts'

/** The calls that change the disk. `openSync` counts only if it creates a file. */
const LASTING = [
  'fchmodSync',
  'fsyncSync',
  'linkSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmdirSync',
  'unlinkSync',
  'writeSync',
] as const satisfies readonly (keyof TreeDisk)[]

export type LastingCall = (typeof LASTING)[number]

/** The next call that changes the disk, and the number of calls of each kind so far. */
export type Coming = { name: LastingCall; counts: ReadonlyMap<LastingCall, number>; args: readonly unknown[] }

/** A disk that asks before each call that changes it. It does not sync, which makes no visible difference. */
export function watchedDisk(before: (coming: Coming) => void): TreeDisk {
  const counts = new Map<LastingCall, number>()
  const watched = LASTING.map((name) => {
    const call = (...args: unknown[]) => {
      if (name === 'openSync' && args[1] !== 'wx') return Reflect.apply(realTreeDisk[name], realTreeDisk, args)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      before({ name, counts, args })
      return name === 'fsyncSync' ? undefined : Reflect.apply(realTreeDisk[name], realTreeDisk, args)
    }
    return [name, call]
  })
  return { ...realTreeDisk, ...Object.fromEntries(watched) }
}
