import { copyFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { buildConsole } from './build-console.ts'
import { bundleProgram } from './bundle-program.ts'

/** The files in src/library that programs import. */
export const LIBRARY_ENTRIES: readonly string[] = ['drover', 'ai-sdk']

/** Bundles the program, its thread, the demo agent and the console: Node does not strip types under node_modules, so a package cannot ship TypeScript. */
export async function bundle(root: string, outdir: string): Promise<void> {
  const common = commonOptions(root)
  await bundleProgram(common, outdir)
  await build({ ...common, entryPoints: ['src/demo/demo-agent.ts'], outdir: join(outdir, 'demo'), format: 'esm' })
  await build({ ...common, entryPoints: ['src/http/request/json-thread.ts'], outdir, format: 'esm' })
  await bundleLibrary(common, join(outdir, 'library'))
  copySwagger(join(outdir, 'docs'))
  await buildConsole(root, join(outdir, 'console'))
}

export function commonOptions(root: string): BuildOptions {
  return {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    packages: 'external',
    logLevel: 'warning',
  }
}

/** What programs import. The parts that a program may not need, such as the server, are files of their own. */
async function bundleLibrary(common: BuildOptions, outdir: string): Promise<void> {
  await build({
    ...common,
    entryPoints: LIBRARY_ENTRIES.map((name) => `src/library/${name}.ts`),
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
  })
}

/** The files of the /docs page, and their licenses. As a dependency, Swagger UI would install a program that reports to its authors. */
const SWAGGER_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
]

function copySwagger(target: string): void {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  mkdirSync(target, { recursive: true })
  for (const file of SWAGGER_FILES) copyFileSync(join(source, file), join(target, file))
}
