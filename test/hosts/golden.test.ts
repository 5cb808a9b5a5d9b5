/**
 * The files that install writes for each host, byte for byte. `golden/texts/` has each text once. `golden/<host>.txt` has
 * every file of a host in the order in which it is written: its mode, its path, and its content, in which a line such as
 * `@@ texts/drover-run.md` stands for that text. After an intended change, `vitest run test/hosts/golden.test.ts --update`
 * writes them again.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CAPABILITIES, CAPABILITY_NAMES } from '../../src/hosts/capabilities.ts'
import { HOST_IDS, type Host, type Surface } from '../../src/hosts/host.ts'
import { generatedFiles, HOSTS } from '../../src/hosts/hosts.ts'
import { toChangeReport } from '../../src/hosts/plan/plan.ts'
import { planInstall } from '../../src/hosts/plan/plan-install.ts'
import { findFiles } from '../support/host-tree.ts'

const GOLDEN = join(import.meta.dirname, 'golden')

type Case = { folder: string; host: Host; surface: Surface | undefined }

const CASES = HOSTS.flatMap((host): Case[] =>
  host.surfaces.length === 0
    ? [{ folder: host.id, host, surface: undefined }]
    : host.surfaces.map((surface) => ({ folder: `${host.id}-${surface}`, host, surface })),
)

function installed({ host, surface }: Case) {
  const plan = planInstall({
    hosts: [host],
    isExplicit: true,
    surface,
    isRefresh: false,
    found: findFiles(new Map(), [host]),
  })
  return plan.steps.map((step) => {
    if (step.do !== 'create') throw new Error(`${step.path} is not created`)
    return step
  })
}

const TEXTS = CAPABILITIES.flatMap(({ name, text, references }) => [{ name: `${name}.md`, text }, ...references])

/** The content of a file, with the name of a text instead of that text at its end. */
function abbreviate(content: string): string {
  expect(content).not.toContain('@@')
  const { name, text } = TEXTS.find((each) => content.endsWith(each.text)) ?? {}
  return text === undefined ? content : `${content.slice(0, -text.length)}@@ texts/${name}\n`
}

describe('the texts', () => {
  it.each(TEXTS)('$name is the golden one', async ({ name, text }) => {
    await expect(text).toMatchFileSnapshot(join(GOLDEN, 'texts', name))
  })

  it('are all there are, with one file for each host', () => {
    const hosts = CASES.map(({ folder }) => `${folder}.txt`)
    const texts = TEXTS.map(({ name }) => join('texts', name))
    const names = readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' })
    expect(names.sort()).toEqual([...hosts, 'texts', ...texts].sort())
  })
})

describe.each(CASES)('$folder', (each) => {
  it('gets exactly the golden files', async () => {
    const files = installed(each).map(
      ({ path, mode, text }) => `@@ ${mode.toString(8).padStart(4, '0')} ${path}\n${abbreviate(text)}`,
    )
    await expect(files.join('')).toMatchFileSnapshot(join(GOLDEN, `${each.folder}.txt`))
  })

  it('gets text with line feeds, one at its end, and nothing left to fill in', () => {
    for (const { text } of installed(each)) {
      expect(text).toMatch(/[^\n]\n$/)
      expect(text).not.toMatch(/\r|\{\{|<%|\$\{|undefined/)
    }
  })

  it('gets front matter that parses to the name and description', () => {
    const callables = generatedFiles(each.host, each.surface).filter(({ role }) => role === 'callable')
    expect(callables.map(({ capability }) => capability)).toEqual(CAPABILITY_NAMES)
    for (const { capability, path, text } of callables) {
      const head = path.endsWith('.json') ? JSON.parse(text) : parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '')
      const { description } = CAPABILITIES.find(({ name }) => name === capability) ?? {}
      expect({ name: capability, description, ...head }).toMatchObject({ name: capability, description })
    }
  })
})

it('hosts are in the order of their ids', () => {
  expect(HOSTS.map(({ id }) => id)).toEqual(HOST_IDS)
  expect([...HOST_IDS].sort()).toEqual(HOST_IDS)
})

it.each([
  ['agents', 15],
  ['claude', 8],
  ['codex', 15],
  ['copilot', 8],
  ['cursor', 8],
  ['kilo', 15],
  ['kiro-ide', 15],
  ['kiro-cli', 15],
  ['opencode', 15],
  ['pi', 8],
  ['qwen', 8],
  ['windsurf', 15],
])('%s has %i managed files', (folder, count) => {
  const { host, surface } = CASES.find((each) => each.folder === folder) ?? {}
  expect(host && generatedFiles(host, surface)).toHaveLength(count)
})

it('all eleven together write 152 files, no path twice', () => {
  const found = findFiles(new Map(), HOSTS)
  const plan = planInstall({ hosts: HOSTS, isExplicit: true, surface: 'ide', isRefresh: false, found })
  expect(toChangeReport(plan, { outcome: 'committed' }).written).toHaveLength(152)
  expect(plan.hosts).toEqual(HOST_IDS)
})

it('generated files have mode 0644, the manifest and the sentinel 0600', () => {
  for (const { path, mode } of CASES.flatMap(installed)) {
    expect(mode).toBe(/ownership-manifest\.json$|\.adapter-generated$/.test(path) ? 0o600 : 0o644)
  }
})

it('supports come before the callables that need them, the manifest and the sentinel last', () => {
  for (const each of CASES) {
    const roles = new Map(generatedFiles(each.host, each.surface).map(({ path, role }) => [path, role]))
    const order = installed(each).map(({ path }) => (roles.get(path) === 'callable' ? 1 : roles.has(path) ? 0 : 2))
    expect(order).toEqual(order.toSorted())
    expect(installed(each).at(-1)?.path).toMatch(/\.adapter-generated$/)
  }
})

it('the documentation says where each entry point is and how it is called', () => {
  const docs = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'hosts.md'), 'utf8')
  const rows = docs.split('\n').map((row) => row.replaceAll('`', ''))
  for (const { host, surface } of CASES) {
    const [callable] = generatedFiles(host, surface).filter(({ role }) => role === 'callable')
    const cells = [host.directories.join(', '), callable?.path, host.invocation('drover-run', surface)]
    const tail = ` | ${cells.join(' | ').replaceAll('drover-run', 'NAME')} |`
    expect(rows.filter((row) => row.startsWith(`| ${host.name}`) && row.endsWith(tail))).toHaveLength(1)
  }
})
