/** Generators of clients take the OpenAPI document, and what they write can be used. Each is tried if it is on PATH. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../../src/kit/process/find-program.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DOCUMENT = join(ROOT, 'schema', 'openapi.json')
const find = (name: string) => findProgram(name, { env: process.env, cwd: ROOT })
const [python, typescript] = [find('openapi-python-client'), find('openapi-generator-cli')]

const IMPORT_ALL = `import importlib, os, pkgutil, sys
sys.path.insert(0, sys.argv[1])
package = importlib.import_module(sys.argv[2])
names = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + '.')]
for name in names: importlib.import_module(name)
print(len(names))
`

describe('a client that is generated from the OpenAPI document', () => {
  it.skipIf(python === undefined)(
    'by openapi-python-client has modules that all import',
    () => {
      const place = join(temporaryDirectory(), 'client')
      run(python, ['generate', '--path', DOCUMENT, '--output-path', place], dirname(place))
      const packages = readdirSync(place, { withFileTypes: true }).filter((each) => each.name.endsWith('_client'))
      const interpreter = join(dirname(python ?? ''), 'python')
      const imported = run(interpreter, ['-c', IMPORT_ALL, place, packages[0]?.name ?? ''], place)
      expect(Number(imported)).toBeGreaterThan(500)
    },
    300_000,
  )

  it.skipIf(typescript === undefined)(
    'by openapi-generator for typescript-fetch compiles',
    () => {
      const place = temporaryDirectory()
      const own = ['--openapitools', join(place, 'openapitools.json')]
      run(
        typescript,
        [...own, 'generate', '-i', DOCUMENT, '-g', 'typescript-fetch', '-o', join(place, 'client')],
        place,
      )
      // The generator writes no strict code.
      const options = {
        strict: false,
        target: 'es2022',
        module: 'nodenext',
        lib: ['es2022', 'dom'],
        noEmit: true,
        skipLibCheck: true,
      }
      writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['client'] }))
      expect(run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', place], place)).toBe('')
    },
    300_000,
  )
})

function run(program: string | undefined, args: readonly string[], cwd: string): string {
  mkdirSync(cwd, { recursive: true })
  return execFileSync(program ?? '', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
