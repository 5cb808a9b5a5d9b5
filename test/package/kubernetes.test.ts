/**
 * The manifests name commands, settings and paths that exist. If kustomize and kubeconform are on PATH, they match the schemas of
 * Kubernetes: those in KUBERNETES_SCHEMAS, the directory of the Python package kubernetes-validate, and the CRD in KEDA_CRD, a file
 * of the Go module of KEDA.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { COMMANDS } from '../../src/cli/program/command-table.ts'
import { findCommand, parseWords } from '../../src/cli/words/parse-words.ts'
import { readEnvironment } from '../../src/config/read-config.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import { ROOT } from '../support/npm.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

const FOLDER = join(ROOT, 'deploy', 'kubernetes')
const PLACES = { env: process.env, cwd: ROOT }
const [kustomize, kubeconform] = ['kustomize', 'kubeconform'].map((name) => findProgram(name, PLACES))
const { KUBERNETES_SCHEMAS = '', KEDA_CRD = '' } = process.env
const canValidate = kustomize !== undefined && kubeconform !== undefined && KUBERNETES_SCHEMAS !== ''
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
    const metrics = readFileSync(join(ROOT, 'src', 'http', 'meta', 'metrics.ts'), 'utf8')
    for (const name of texts.flatMap((text) => text.match(/drover_\w+/g) ?? [])) expect(metrics).toContain(`'${name}'`)
    expect(new Set(at('httpGet').map(({ path }: { path: string }) => path))).toEqual(new Set(['/ready']))
  })

  it('let no one without a key see metrics, which an ingress forwards too', () => {
    expect(texts.join()).not.toContain('METRICS_PUBLIC')
  })

  it('and their page name the namespace in every command', () => {
    const page = readFileSync(join(ROOT, 'docs', 'kubernetes.md'), 'utf8')
    const commands = [page, ...texts].join('\n').match(/kubectl (?!create namespace|apply -k)[^`\n]*/g) ?? []
    expect(commands.length).toBeGreaterThan(5)
    expect(commands.filter((command) => !command.startsWith('kubectl --namespace drover '))).toEqual([])
  })

  it('keep secrets out of themselves', () => {
    expect(at('kind')).not.toContain('Secret')
  })

  it.runIf(canValidate).each(VERSIONS)('match the schemas of %s', (version) => {
    const built = spawnSync(String(kustomize), ['build', FOLDER], { encoding: 'utf8' }).stdout
    const scaling = KEDA_CRD === '' ? '' : `---\n${readFileSync(join(FOLDER, 'scaling.yaml'), 'utf8')}`
    const schemas = temporaryDirectory()
    copySchemas(version, schemas)
    if (KEDA_CRD !== '') writeSchemaOf(KEDA_CRD, schemas)
    const place = join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json')
    const args = ['-strict', '-summary', '-output', 'json', '-schema-location', place]
    const checked = spawnSync(String(kubeconform), args, { input: built + scaling, encoding: 'utf8' })
    expect(JSON.parse(checked.stdout)).toMatchObject({
      resources: [],
      summary: { valid: parseAllDocuments(built + scaling).length, invalid: 0, errors: 0, skipped: 0 },
    })
  })
})

/** They name a server as the place of what they refer to. */
function copySchemas(version: string, to: string): void {
  const from = join(KUBERNETES_SCHEMAS, `v${version}.0-local-strict`)
  for (const name of readdirSync(from)) {
    const text = readFileSync(join(from, name), 'utf8')
    const local = text.replaceAll('"/api/_definitions.json', '"_definitions.json')
    writeFileSync(join(to, name), local.replace(/,\s*"\$id": "https:[^"]*"/, ''))
  }
}

type Crd = { spec: { versions: { name: string; schema: { openAPIV3Schema: unknown } }[]; names: { singular: string } } }

/** Fields that a CRD does not name are dropped by Kubernetes, so they are mistakes. */
function writeSchemaOf(path: string, to: string): void {
  const { spec } = parse(readFileSync(path, 'utf8')) as Crd
  for (const { name, schema } of spec.versions) {
    for (const value of within(schema.openAPIV3Schema)) {
      const isObject = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
      if (isObject) Object.assign(value, { additionalProperties: false })
    }
    writeFileSync(join(to, `${spec.names.singular}-keda-${name}.json`), JSON.stringify(schema.openAPIV3Schema))
  }
}
