/** Builds `dist/`, the code of the published package. */
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { declareLibrary } from './library-declarations.ts'
import { publishBuild } from './publish-build.ts'

const root = join(import.meta.dirname, '..')
await publishBuild({
  root,
  isWhole: true,
  write: async (folder) => {
    await bundle(root, folder)
    declareLibrary(root, join(folder, 'library'))
  },
})
