import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../scripts/bundle.ts'

const root = join(import.meta.dirname, '..')

/** Runs `work` with the program as it is published: bundled, outside the clone. */
export async function withPublished(work: (drover: string) => Promise<string>): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-published-'))
  try {
    for (const part of ['bin', 'package.json']) cpSync(join(root, part), join(directory, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    await bundle(root, join(directory, 'dist'))
    return await work(join(directory, 'bin', 'drover.cjs'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
