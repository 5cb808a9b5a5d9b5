/** Bundles drover once for all tests that start it, as the published package has it: a bundle starts faster than sources. */
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundle } from '../../scripts/bundle.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended
  interface ProvidedContext {
    drover: string
  }
}

const ROOT = join(import.meta.dirname, '..', '..')

export default async function bundleDrover(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-bundle-'))
  // For tests that run drover as another user.
  chmodSync(directory, 0o755)
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(directory, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  await bundle(ROOT, join(directory, 'dist'))
  project.provide('drover', join(directory, 'bin', 'drover.cjs'))
  return () => rmSync(directory, { recursive: true, force: true })
}
