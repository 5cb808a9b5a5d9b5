/** Builds `dist/`, the code of the published package. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
await bundle(root, join(root, 'dist'))
