/**
 * Bundles the program of a clone into `dist/`, where bin/drover.cjs uses it as long as no source has changed: it starts several times
 * faster than the sources. `npm start` and the first installation run this.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { commonOptions } from './bundle.ts'
import { bundleProgram } from './bundle-program.ts'

const root = join(import.meta.dirname, '..')
const stamps = join(root, 'dist', 'inputs.json')
const { isFresh, stampOf } = createRequire(import.meta.url)('../bin/run-bundle.cjs') as {
  isFresh: (root: string) => boolean
  stampOf: (path: string) => number
}

/** They decide what the bundle looks like, beside the sources. */
const MAKERS = [
  ...['package-lock.json', 'scripts/bundle-clone.ts', 'scripts/bundle-packages.ts', 'scripts/bundle-program.ts'],
  'scripts/bundle.ts',
]

if (!isFresh(root)) await bundleClone()

async function bundleClone(): Promise<void> {
  rmSync(stamps, { force: true })
  const begun = Date.now()
  const sources = await bundleProgram(commonOptions(root), join(root, 'dist'))
  const inputs = [...MAKERS, ...sources].map((path): [string, number] => [path, stampOf(join(root, path))])
  // A file that was changed meanwhile may be older in the bundle.
  const wasChanged = inputs.some(([, stamp]) => stamp >= begun)
  if (!wasChanged) writeFileSync(stamps, JSON.stringify(inputs))
}
