/** Builds `dist/`, the code of the published package. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { declareLibrary } from './library-declarations.ts'

const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
await bundle(root, join(root, 'dist'))
declareLibrary(root, join(root, 'dist', 'library'))
