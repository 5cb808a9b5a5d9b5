/**
 * Bundles the program of a clone into `dist/`, where bin/drover.cjs uses it as long as no source has changed: it starts several times
 * faster than the sources. `npm start` and the first installation run this.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { commonOptions } from './bundle.ts'
import { bundleProgram } from './bundle-program.ts'
import { oneAtATime, replace } from './publish-build.ts'

const root = join(import.meta.dirname, '..')
const stamps = join(root, 'dist', 'inputs.json')
const { isFresh, stampOf } = createRequire(import.meta.url)('../bin/run-bundle.cjs') as {
  isFresh: (root: string) => boolean
  stampOf: (path: string) => number
}

/** They decide what the bundle looks like, beside the sources. */
const MAKERS = [
  ...['package-lock.json', 'scripts/bundle-clone.ts', 'scripts/bundle-packages.ts', 'scripts/bundle-program.ts'],
  ...['scripts/bundle.ts', 'scripts/publish-build.ts'],
]

// Another process may have bundled it meanwhile.
if (!isFresh(root)) await oneAtATime(root, async () => (isFresh(root) ? undefined : await bundleClone()))

async function bundleClone(): Promise<void> {
  rmSync(stamps, { force: true })
  const begun = Date.now()
  let sources: string[] = []
  await replace(root, {
    isWhole: false,
    write: async (folder) => {
      sources = await bundleProgram(commonOptions(root), folder)
    },
  })
  const inputs = [...MAKERS, ...sources].map((path): [string, number] => [path, stampOf(join(root, path))])
  // A file that was changed meanwhile may be older in the bundle.
  const wasChanged = inputs.some(([, stamp]) => stamp >= begun)
  if (!wasChanged) writeFileSync(stamps, JSON.stringify(inputs))
}
