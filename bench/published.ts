import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../scripts/bundle.ts'

const root = join(import.meta.dirname, '..')

/** Runs `work` with the program as it is published: bundled, outside the clone. */
export async function withPublished(work: (drover: string) => Promise<string>): Promise<string> {
  const room = mkdtempSync(join(tmpdir(), 'drover-published-'))
  try {
    for (const part of ['bin', 'package.json']) cpSync(join(root, part), join(room, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(room, 'node_modules'))
    await bundle(root, join(room, 'dist'))
    return await work(join(room, 'bin', 'drover.cjs'))
  } finally {
    rmSync(room, { recursive: true, force: true })
  }
}
