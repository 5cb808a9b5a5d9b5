/** The hosts that drover knows, and the files that it generates for each. */
import type { Digest } from '../kit/digest.ts'
import { writeIndentedJson } from '../kit/json/write-json.ts'
import { CAPABILITIES, type Capability } from './capabilities.ts'
import {
  type GeneratedFile,
  type Host,
  type HostId,
  manifestPath,
  SURFACES,
  type Surface,
  sentinelPath,
} from './host.ts'

/** In the order in which they are listed and changed. */
export const HOSTS: readonly Host[] = [
  {
    id: 'agents',
    name: 'Agent Skills',
    directories: ['.agents'],
    ownershipRoot: '.agents',
    surfaces: [],
    invocation: (name) => `invoke the skill ${name}`,
    filesOf: (capability) => [codexPolicy(capability, '.agents/skills'), ...skill(capability, '.agents/skills')],
  },
  {
    id: 'claude',
    name: 'Claude Code',
    directories: ['.claude'],
    ownershipRoot: '.claude',
    surfaces: [],
    invocation: (name) => `/${name}`,
    filesOf: (capability) => skill(capability, '.claude/skills'),
  },
  {
    id: 'codex',
    name: 'Codex CLI',
    directories: ['.codex'],
    ownershipRoot: '.codex',
    surfaces: [],
    invocation: (name) => `$${name}`,
    filesOf: (capability) => [codexPolicy(capability, '.codex/skills'), ...skill(capability, '.codex/skills')],
  },
  {
    id: 'copilot',
    name: 'GitHub Copilot',
    // Most repositories on GitHub have a `.github`, so that alone does not show that Copilot is used.
    directories: ['.github/agents', '.github/copilot', '.github/prompts', '.github/skills'],
    ownershipRoot: '.github/copilot',
    surfaces: [],
    invocation: (name) => `pick the custom agent ${name}`,
    filesOf: (capability) => copilotAgent(capability, '.github/agents'),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    directories: ['.cursor'],
    ownershipRoot: '.cursor',
    surfaces: [],
    invocation: (name) => `invoke the skill ${name}`,
    filesOf: (capability) => skill(capability, '.cursor/skills'),
  },
  {
    id: 'kilo',
    name: 'Kilo Code',
    directories: ['.kilo', '.kilocode'],
    ownershipRoot: '.kilocode',
    surfaces: [],
    invocation: (name) => `/${name}`,
    filesOf: (capability) => {
      const path = `.kilo/commands/${capability.name}.md`
      return command(capability, { path, root: '.kilocode', fields: [['subtask', 'false']] })
    },
  },
  {
    id: 'kiro',
    name: 'Kiro',
    directories: ['.kiro'],
    ownershipRoot: '.kiro',
    surfaces: SURFACES,
    invocation: (name, surface) => (surface === 'cli' ? `kiro-cli chat --agent ${name}` : `#${name}`),
    filesOf: (capability, surface) => [
      ...textFiles(capability, '.kiro'),
      surface === 'cli' ? kiroAgent(capability) : kiroSteering(capability),
    ],
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    directories: ['.opencode'],
    ownershipRoot: '.opencode',
    surfaces: [],
    invocation: (name) => `/${name}`,
    filesOf: (capability) =>
      command(capability, { path: `.opencode/commands/${capability.name}.md`, root: '.opencode' }),
  },
  {
    id: 'pi',
    name: 'Pi',
    directories: ['.pi'],
    ownershipRoot: '.pi',
    surfaces: [],
    invocation: (name) => `/skill:${name}`,
    filesOf: (capability) => skill(capability, '.pi/skills'),
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    directories: ['.qwen'],
    ownershipRoot: '.qwen',
    surfaces: [],
    invocation: (name) => `invoke the skill ${name}`,
    filesOf: (capability) => skill(capability, '.qwen/skills'),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    directories: ['.windsurf'],
    ownershipRoot: '.windsurf',
    surfaces: [],
    invocation: (name) => `/${name}`,
    filesOf: (capability) =>
      command(capability, { path: `.windsurf/workflows/${capability.name}.md`, root: '.windsurf' }),
  },
]

/** Codex ignores `disable-model-invocation` in the front matter. It reads this file instead. */
function codexPolicy({ name }: Capability, skills: string): GeneratedFile {
  const text = 'policy:\n  allow_implicit_invocation: false\n'
  return { path: `${skills}/${name}/agents/openai.yaml`, text, capability: name, role: 'policy' }
}

function copilotAgent(capability: Capability, folder: string): GeneratedFile[] {
  const { name, description, text } = capability
  const head = frontMatter([
    ['name', name],
    ['description', quoted(description)],
    ['disable-model-invocation', 'true'],
  ])
  return [...references(capability, folder), callable(capability, `${folder}/${name}.agent.md`, `${head}\n${text}`)]
}

/** The editor reads steering files. */
function kiroSteering(capability: Capability): GeneratedFile {
  const head = frontMatter([['inclusion', 'manual']])
  const text = `${head}#[[file:${bodyPath(capability, '.kiro')}]]\n`
  return callable(capability, `.kiro/steering/${capability.name}.md`, text)
}

/** The command line reads agents. */
function kiroAgent(capability: Capability): GeneratedFile {
  const { name, description } = capability
  const prompt = `file://../drover/capabilities/${name}.md`
  const text = `${writeIndentedJson({ name, description, prompt, tools: ['*'] })}\n`
  return callable(capability, `.kiro/agents/${name}.json`, text)
}

export function findHost(id: string): Host | undefined {
  return HOSTS.find((host) => host.id === id)
}

/** The surfaces that a host can be installed for; `[undefined]` for a host without surfaces. */
export function listSurfaces({ surfaces }: Host): readonly (Surface | undefined)[] {
  return surfaces.length === 0 ? [undefined] : surfaces
}

/** The files that this release generates for a host, supports before the callables that need them. */
export function generatedFiles(host: Host, surface: Surface | undefined): readonly GeneratedFile[] {
  const files = CAPABILITIES.flatMap((capability) => host.filesOf(capability, surface))
  return [...files.filter(({ role }) => role !== 'callable'), ...files.filter(({ role }) => role === 'callable')]
}

/** A file as an earlier release of drover generated it. */
export type EarlierFile = {
  readonly host: HostId
  readonly path: string
  readonly digest: Digest
  readonly release: string
}

/**
 * Files that earlier releases generated and this one does not. If the manifest claims a file and its bytes are listed here,
 * drover wrote it, and a refresh replaces it: a repository cannot forge this list. A release that changes a generated
 * file, or stops generating one, adds the old file here.
 */
export const EARLIER_FILES: readonly EarlierFile[] = []

/** Every path to read before drover can say anything about a host. */
export function listPaths(host: Host, earlier: readonly EarlierFile[] = EARLIER_FILES): readonly string[] {
  const generated = listSurfaces(host)
    .flatMap((surface) => generatedFiles(host, surface))
    .map(({ path }) => path)
  const former = earlier.filter((file) => file.host === host.id).map(({ path }) => path)
  return [...new Set([manifestPath(host), sentinelPath(host), ...generated, ...former])]
}

type Fields = readonly (readonly [name: string, value: string])[]

/** The file formats in which hosts accept a capability. */
function callable(capability: Capability, path: string, text: string): GeneratedFile {
  return { path, text, capability: capability.name, role: 'callable' }
}

function support(capability: Capability, path: string, text: string): GeneratedFile {
  return { path, text, capability: capability.name, role: 'support' }
}

/** YAML front matter. The values must be valid YAML. */
function frontMatter(fields: Fields): string {
  return `---\n${fields.map(([name, value]) => `${name}: ${value}\n`).join('')}---\n`
}

/** A double-quoted YAML string, which is the same as a JSON string. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

function references(capability: Capability, folder: string): GeneratedFile[] {
  return capability.references.map(({ name, text }) => support(capability, `${folder}/references/${name}`, text))
}

/** A skill folder with `SKILL.md`. Only the user can call it. */
function skill(capability: Capability, skills: string): GeneratedFile[] {
  const folder = `${skills}/${capability.name}`
  const head = frontMatter([
    ['name', capability.name],
    ['description', capability.description],
    ['disable-model-invocation', 'true'],
  ])
  return [...references(capability, folder), callable(capability, `${folder}/SKILL.md`, `${head}\n${capability.text}`)]
}

/** A command file with a description. It includes the text, which is in a separate file under `root`. */
function command(
  capability: Capability,
  { path, root, fields = [] }: { path: string; root: string; fields?: Fields },
): GeneratedFile[] {
  const head = frontMatter([['description', quoted(capability.description)], ...fields])
  return [...textFiles(capability, root), callable(capability, path, `${head}@${bodyPath(capability, root)}\n`)]
}

/** The text without front matter, for hosts whose entry point includes it. */
function textFiles(capability: Capability, root: string): GeneratedFile[] {
  const folder = `${root}/drover/capabilities`
  return [...references(capability, folder), support(capability, bodyPath(capability, root), capability.text)]
}

function bodyPath(capability: Capability, root: string): string {
  return `${root}/drover/capabilities/${capability.name}.md`
}
