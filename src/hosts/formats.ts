/** The forms in which hosts take a capability; each host picks from these. */
import type { Capability } from './capabilities.ts'
import type { GeneratedFile } from './host.ts'

type Fields = readonly (readonly [name: string, value: string])[]

export function callable(capability: Capability, path: string, text: string): GeneratedFile {
  return { path, text, capability: capability.name, role: 'callable' }
}

function support(capability: Capability, path: string, text: string): GeneratedFile {
  return { path, text, capability: capability.name, role: 'support' }
}

/** A block of YAML at the head of a file; the values are YAML already. */
export function frontMatter(fields: Fields): string {
  return `---\n${fields.map(([name, value]) => `${name}: ${value}\n`).join('')}---\n`
}

/** YAML in double quotes, which is what JSON makes of a text. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/** The references of a capability, in the folder in which its text is. */
export function references(capability: Capability, folder: string): GeneratedFile[] {
  return capability.references.map(({ name, text }) => support(capability, `${folder}/references/${name}`, text))
}

/** A folder with `SKILL.md`, which only a person may call. */
export function skill(capability: Capability, skills: string): GeneratedFile[] {
  const folder = `${skills}/${capability.name}`
  const head = frontMatter([
    ['name', capability.name],
    ['description', capability.description],
    ['disable-model-invocation', 'true'],
  ])
  return [...references(capability, folder), callable(capability, `${folder}/SKILL.md`, `${head}\n${capability.text}`)]
}

/** A file with what a person picks it by, which pulls in the text from a file of its own under the root. */
export function command(
  capability: Capability,
  { path, root, fields = [] }: { path: string; root: string; fields?: Fields },
): GeneratedFile[] {
  const head = frontMatter([['description', quoted(capability.description)], ...fields])
  return [...textFiles(capability, root), callable(capability, path, `${head}@${bodyPath(capability, root)}\n`)]
}

/** The text by itself, for hosts whose entry point only points to it. */
export function textFiles(capability: Capability, root: string): GeneratedFile[] {
  const folder = `${root}/drover/capabilities`
  return [...references(capability, folder), support(capability, bodyPath(capability, root), capability.text)]
}

export function bodyPath(capability: Capability, root: string): string {
  return `${root}/drover/capabilities/${capability.name}.md`
}
