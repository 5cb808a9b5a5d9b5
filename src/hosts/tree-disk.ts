import * as fs from 'node:fs'
import type { Disk } from '../kit/files/disk.ts'

/** What changing a worktree takes beyond single files; a test passes one that fails, meddles or dies at a step. */
export type TreeDisk = Disk & Pick<typeof fs, 'rmdirSync'> & { readdirSync(path: string): string[] }

export const realTreeDisk: TreeDisk = fs
