/** The manifests name commands, settings and paths that exist; where the programs for it are on PATH, they match the schemas of Kubernetes. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { COMMANDS } from '../../src/cli/program/command-table.ts'
import { findCommand, parseWords } from '../../src/cli/words/parse-words.ts'
import { readEnvironment } from '../../src/config/read-environment.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import { ROOT } from '../support/npm.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

const FOLDER = join(ROOT, 'deploy', 'kubernetes')
const PLACES = { env: process.env, cwd: ROOT }
const [kustomize, validate] = ['kustomize', 'kubernetes-validate'].map((name) => findProgram(name, PLACES))
const VERSIONS = ['1.30', '1.33', '1.37']

const texts = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'))
const values = texts.flatMap((text) => parseAllDocuments(text).flatMap((document) => [...within(document.toJS())]))

/** The value and all that is in it. */
function* within(value: unknown): Generator<unknown> {
  yield value
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* within(inner)
}

const at = (key: string) =>
  values.flatMap((value) =>
    typeof value === 'object' && value !== null && key in value ? [(value as never)[key]] : [],
  )

describe('the manifests of Kubernetes', () => {
  it('run commands that exist', () => {
    const commands: string[][] = [...at('args'), ...at('command').map(([, ...args]: string[]) => args)]
    expect(commands).toContainEqual(['work', '--drain'])
    for (const words of commands) {
      const found = findCommand(COMMANDS, words)
      expect(found.is).toBe('command')
      if (found.is === 'command') expect(() => parseWords(found.command, found.rest)).not.toThrow()
    }
  })

  it('set settings that exist', () => {
    const names = texts.flatMap((text) => text.match(/DROVER_\w+/g) ?? [])
    expect(names).toContain('DROVER_STORE_URL')
    const { warnings } = readEnvironment(Object.fromEntries(names.map((name) => [name, 'x'])))
    expect(warnings).toEqual([])
  })

  it('ask paths that a server has, and scale by metrics that it has', () => {
    const metrics = readFileSync(join(ROOT, 'src', 'http', 'metrics', 'create-metrics.ts'), 'utf8')
    for (const name of texts.flatMap((text) => text.match(/drover_\w+/g) ?? [])) expect(metrics).toContain(`'${name}'`)
    expect(new Set(at('httpGet').map(({ path }: { path: string }) => path))).toEqual(new Set(['/ready']))
  })

  it('keep secrets out of themselves', () => {
    expect(at('kind')).not.toContain('Secret')
  })

  it.skipIf(kustomize === undefined || validate === undefined).each(VERSIONS)('match the schemas of %s', (version) => {
    const built = spawnSync(String(kustomize), ['build', FOLDER], { encoding: 'utf8' })
    const file = join(temporaryDirectory(), 'all.yaml')
    writeFileSync(file, built.stdout)
    const checked = spawnSync(String(validate), ['--strict', '-k', version, file], { encoding: 'utf8' })
    expect([built.status, checked.status, checked.stdout + checked.stderr]).toEqual([
      0,
      0,
      expect.stringContaining('statefulset/worker'),
    ])
  })
})
